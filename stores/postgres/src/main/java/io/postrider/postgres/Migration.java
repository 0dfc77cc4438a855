package io.postrider.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * One step of the schema: an immutable SQL file whose name begins with its number.
 *
 * <p>A line {@code -- serves: 11} in the file names the oldest code that works on the schema after this step, by the
 * highest migration which that code knows. Without such a line older code is refused.
 *
 * @param text as in the file, with the placeholders {@code ${schema}} and {@code ${lanes}}
 */
record Migration(int version, String description, String file, String text) {
    private static final Pattern FILE = Pattern.compile("V([1-9][0-9]{0,5})__(\\w+)\\.sql");
    private static final Pattern SERVES = Pattern.compile("(?m)^-- serves: ([0-9]{1,6})$");

    /** A class path or module path cannot be listed, so a file names the others. */
    private static final String INDEX = "migrations/index";

    Migration {
        if (version < 1) {
            throw new IllegalArgumentException("a migration's version is at least 1, got " + version);
        }
    }

    static Migration of(String file, String text) {
        Matcher name = FILE.matcher(file);
        if (!name.matches()) {
            throw new IllegalArgumentException(
                    "a migration is called V<number>__<description>.sql, got '" + file + "'");
        }
        return new Migration(Integer.parseInt(name.group(1)), name.group(2).replace('_', ' '), file, text);
    }

    /** Those of this code, by their numbers. */
    static List<Migration> known() {
        return resource(INDEX)
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(file -> of(file, resource("migrations/" + file)))
                .sorted(Comparator.comparingInt(Migration::version))
                .toList();
    }

    private static String resource(String name) {
        try (InputStream in = Migration.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the resource " + name + " is missing beside " + Migration.class);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The CRC-32 of its lines, whatever ends them. */
    int checksum() {
        CRC32 crc = new CRC32();
        text.lines().forEach(line -> crc.update(line.getBytes(StandardCharsets.UTF_8)));
        return (int) crc.getValue();
    }

    /** The oldest code that works on the schema after this step. */
    int serves() {
        Matcher declared = SERVES.matcher(text);
        return declared.find() ? Math.min(version, Integer.parseInt(declared.group(1))) : version;
    }

    String sql(PostgresStoreConfig config) {
        return text.replace("${schema}", config.schema()).replace("${lanes}", Integer.toString(config.lanesOfNewLog()));
    }

    @Override
    public String toString() {
        return "V" + version + " (" + description + ")";
    }
}
