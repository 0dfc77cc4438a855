package io.postrider.first;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** docs/reference/settings.md, made of the values themselves: their defaults, and what their Javadoc says of each. */
final class SettingsPage {
    private static final Path ROOT = Path.of("..", "..");
    private static final Pattern ACCESSOR =
            Pattern.compile("/\\*\\*((?:(?!\\*/).)*)\\*/\\s+public (?:int|long|Duration) (\\w+)\\(\\)", Pattern.DOTALL);
    private static final Duration FOR_GOOD = Duration.ofDays(36_500);

    private final StringBuilder page = new StringBuilder();

    SettingsPage words(String words) {
        page.append(words).append('\n');
        return this;
    }

    /** A table of a record's components that have a value one can write down. */
    SettingsPage section(String title, String words, Record defaults, String module) {
        heading(title, words);
        String source = source(defaults.getClass(), module);
        String javadoc = source.substring(0, source.indexOf("public record")).replaceAll("\n *\\* ?", "\n");
        for (RecordComponent component : defaults.getClass().getRecordComponents()) {
            row(component.getName(), value(component.getAccessor(), defaults), () -> meaning(component, javadoc));
        }
        return this;
    }

    /** A table of the limits of a class that has a documented accessor for each. */
    SettingsPage limits(String title, String words, Object defaults, String module) throws NoSuchMethodException {
        heading(title, words);
        Matcher accessors = ACCESSOR.matcher(source(defaults.getClass(), module));
        while (accessors.find()) {
            Method accessor = defaults.getClass().getMethod(accessors.group(2));
            row(accessor.getName(), value(accessor, defaults), () -> meaning(accessors.group(1)));
        }
        return this;
    }

    private void heading(String title, String words) {
        page.append("\n## ").append(title).append("\n\n").append(words).append("\n\n");
        page.append("| name | default | meaning |\n|---|---|---|\n");
    }

    private void row(String name, @Nullable String value, Supplier<String> meaning) {
        if (value != null) {
            page.append("| `").append(name).append("` | ").append(value).append(" | ");
            page.append(meaning.get()).append(" |\n");
        }
    }

    String text() {
        return page.toString();
    }

    private static @Nullable String value(Method accessor, Object settings) {
        Object value;
        try {
            accessor.setAccessible(true);
            value = accessor.invoke(settings);
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
        } else if (value instanceof OptionalInt unset) {
            return unset.isEmpty() ? "unset" : Integer.toString(unset.getAsInt());
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

    private static String source(Class<?> settings, String module) {
        Path source = ROOT.resolve(module)
                .resolve("src/main/java")
                .resolve(settings.getName().replace('.', '/') + ".java");
        try {
            return Files.readString(source);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String meaning(RecordComponent component, String javadoc) {
        String name = component.getName();
        Matcher found = Pattern.compile("@param " + name + "\\s+(.*?)(?=\n@param|\n/|\n\n|$)", Pattern.DOTALL)
                .matcher(javadoc);
        if (!found.find()) {
            throw new IllegalStateException("'" + name + "' has no @param");
        }
        return plain(Objects.requireNonNull(found.group(1)));
    }

    /** The first sentence's beginning and end are those of a cell of a table. */
    private static String meaning(String javadoc) {
        String plain = plain(javadoc.replaceAll("\n *\\* ?", "\n").strip());
        return plain.substring(0, 1).toLowerCase(Locale.ROOT)
                + plain.substring(1).replaceAll("\\.$", "");
    }

    private static String plain(String javadoc) {
        return javadoc.replaceAll("\\{@(?:link|code) #?([^}]*)}", "`$1`")
                .replaceAll("\\s+", " ")
                .replace("|", "\\|")
                .replaceAll("[/* ]+$", "");
    }
}
