package io.postrider.first;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** docs/reference/settings.md, made of the records themselves: their defaults, and what their Javadoc says of each. */
final class SettingsPage {
    private static final Path ROOT = Path.of("..", "..");
    private static final Duration FOR_GOOD = Duration.ofDays(36_500);

    private final StringBuilder page = new StringBuilder();

    SettingsPage words(String words) {
        page.append(words).append('\n');
        return this;
    }

    /** A table of a record's components that have a value one can write down. */
    SettingsPage section(String title, String words, Record defaults, String module) {
        page.append("\n## ").append(title).append("\n\n").append(words).append("\n\n");
        page.append("| name | default | meaning |\n|---|---|---|\n");
        String javadoc = javadoc(defaults.getClass(), module);
        for (RecordComponent component : defaults.getClass().getRecordComponents()) {
            String value = value(component, defaults);
            if (value != null) {
                page.append("| `")
                        .append(component.getName())
                        .append("` | ")
                        .append(value)
                        .append(" | ");
                page.append(meaning(component.getName(), javadoc)).append(" |\n");
            }
        }
        return this;
    }

    String text() {
        return page.toString();
    }

    private static @Nullable String value(RecordComponent component, Record record) {
        Object value;
        try {
            component.getAccessor().setAccessible(true);
            value = component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        if (value instanceof Duration time) {
            return words(time);
        } else if (value instanceof Integer || value instanceof Long) {
            return String.format(Locale.ROOT, "%,d", ((Number) value).longValue());
        } else if (value instanceof Number
                || value instanceof Boolean
                || value instanceof Enum
                || value instanceof String) {
            return value.toString();
        } else if (value instanceof Collection<?> many) {
            return many.isEmpty() ? "none" : null;
        }
        return value instanceof Map<?, ?> map && map.isEmpty() ? "none" : null;
    }

    private static String words(Duration time) {
        if (time.compareTo(FOR_GOOD) >= 0) {
            return "for good";
        } else if (time.toDays() > 0 && time.equals(Duration.ofDays(time.toDays()))) {
            return time.toDays() + " d";
        } else if (time.toHours() > 0 && time.equals(Duration.ofHours(time.toHours()))) {
            return time.toHours() + " h";
        } else if (time.toMinutes() > 0 && time.equals(Duration.ofMinutes(time.toMinutes()))) {
            return time.toMinutes() + " min";
        } else if (time.toSeconds() > 0 && time.equals(Duration.ofSeconds(time.toSeconds()))) {
            return time.toSeconds() + " s";
        }
        return time.toMillis() + " ms";
    }

    private static String javadoc(Class<?> record, String module) {
        Path source = ROOT.resolve(module)
                .resolve("src/main/java")
                .resolve(record.getName().replace('.', '/') + ".java");
        try {
            String text = Files.readString(source);
            return text.substring(0, text.indexOf("public record")).replaceAll("\n *\\* ?", "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String meaning(String name, String javadoc) {
        Matcher found = Pattern.compile("@param " + name + "\\s+(.*?)(?=\n@param|\n/|\n\n|$)", Pattern.DOTALL)
                .matcher(javadoc);
        if (!found.find()) {
            throw new IllegalStateException("'" + name + "' has no @param");
        }
        return Objects.requireNonNull(found.group(1))
                .replaceAll("\\{@(?:link|code) #?([^}]*)}", "`$1`")
                .replaceAll("\\s+", " ")
                .replace("|", "\\|")
                .replaceAll("[/* ]+$", "");
    }
}
