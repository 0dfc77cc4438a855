package io.postrider.benchmarks.measure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/** The versions this was built with, for the labels. */
public final class Versions {
    private static final Properties BUILT_WITH = read();

    private Versions() {}

    public static String of(String name) {
        return Objects.requireNonNull(BUILT_WITH.getProperty(name), name);
    }

    private static Properties read() {
        Properties properties = new Properties();
        try (InputStream in = Versions.class.getResourceAsStream("versions.properties")) {
            properties.load(Objects.requireNonNull(in, "versions.properties"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties;
    }
}
