package io.postrider.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.postrider.Postrider;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.simple.SimpleLogger;

/** A library is a guest on the class path of its host, who decides about Jackson. */
class GuestTest {
    /** Made by the build: a version that Spring Boot 3.5 pins. */
    private static final Path OLDER = Path.of("target", "older");

    @Test
    void without_jackson_the_sentence_says_what_to_do() throws Throwable {
        try (URLClassLoader host = host(annotations(), jackson())) {
            assertThat(failure(host, "plain"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Jackson 3.1 or newer")
                    .hasMessageContaining("jackson-databind not at all")
                    .hasMessageContaining("PostriderConfig.codec(");
        }
    }

    @Test
    void without_jackson_events_are_delivered_by_a_codec_of_the_hosts_own() throws Throwable {
        try (URLClassLoader host = host(annotations(), jackson())) {
            assertThat(call(host, "withOwnCodec")).isEqualTo("17 ann");
            assertThatThrownBy(() -> host.loadClass("tools.jackson.databind.json.JsonMapper"))
                    .as("the host hides Jackson")
                    .isInstanceOf(ClassNotFoundException.class);
        }
    }

    @Test
    void older_annotations_are_named_with_the_version_that_is_needed() throws Throwable {
        try (URLClassLoader host = host(List.of(older()), name -> false)) {
            assertThat(failure(host, "plain"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("jackson-annotations 2.21 or newer")
                    .hasMessageContaining("and jackson-annotations 2.19.2");
        }
    }

    @Test
    void with_older_annotations_events_are_delivered_by_a_codec_of_the_hosts_own() throws Throwable {
        try (URLClassLoader host = host(List.of(older()), name -> false)) {
            assertThat(call(host, "withOwnCodec")).isEqualTo("17 ann");
        }
    }

    @Test
    void the_jackson_of_this_build_is_new_enough() throws Throwable {
        try (URLClassLoader host = host(annotations(), name -> false)) {
            assertThat(catchThrowable(() -> call(host, "plain"))).isNull();
        }
    }

    /** Where this build has its annotations. */
    private static List<URL> annotations() throws ClassNotFoundException {
        return List.of(location(Class.forName("com.fasterxml.jackson.annotation.JsonInclude")));
    }

    private static URL location(Class<?> part) {
        return part.getProtectionDomain().getCodeSource().getLocation();
    }

    private static Predicate<String> jackson() {
        return name -> name.startsWith("tools.jackson.") || name.startsWith("com.fasterxml.jackson.");
    }

    private static URL older() throws IOException {
        try (Stream<Path> jars = Files.list(OLDER)) {
            return url(jars.filter(jar -> jar.toString().endsWith(".jar"))
                    .findFirst()
                    .orElseThrow(
                            () -> new AssertionError("the build puts an older jackson-annotations into " + OLDER)));
        }
    }

    private static URL url(Path path) throws MalformedURLException {
        return path.toUri().toURL();
    }

    /** A class path of its own: these annotations, and what this test has but for what is hidden. */
    private static URLClassLoader host(List<URL> annotations, Predicate<String> hidden) throws ClassNotFoundException {
        List<URL> urls = new ArrayList<>(annotations);
        List<Class<?>> parts = List.of(
                Guest.class,
                MemoryStore.class,
                Postrider.class,
                LoggerFactory.class,
                SimpleLogger.class,
                Class.forName("tools.jackson.databind.json.JsonMapper"),
                Class.forName("tools.jackson.core.JsonParser"));
        parts.forEach(part -> urls.add(location(part)));
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                if (hidden.test(name)) {
                    throw new ClassNotFoundException(name + " is hidden");
                }
                return super.findClass(name);
            }
        };
    }

    private static Object call(ClassLoader host, String method) throws Throwable {
        try {
            return host.loadClass(Guest.class.getName()).getMethod(method).invoke(null);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Throwable failure(ClassLoader host, String method) {
        return catchThrowable(() -> call(host, method));
    }
}
