package io.postrider.engine.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The first failure has its stack, and one that stays a line a minute. */
class StumblesTest {
    private final Hands hands = new Hands();
    private final Stumbles stumbles = new Stumbles(LoggerFactory.getLogger(StumblesTest.class), hands);
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream told = new ByteArrayOutputStream();

    @BeforeEach
    void listen() {
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void leave() {
        System.setErr(before);
    }

    @Test
    void a_failure_that_stays_is_told_once_a_minute_without_its_stack() {
        for (int second = 0; second < 61; second++) {
            stumbles.tell("The watch failed", new IllegalStateException("again"));
            hands.move(Duration.ofSeconds(1));
        }
        assertThat(lines("The watch failed")).hasSize(2);
        assertThat(lines("The watch failed").get(1)).contains("60 times", "IllegalStateException: again");
        assertThat(lines("\tat ").stream().filter(line -> line.contains("StumblesTest.a_failure")))
                .hasSize(1);
    }

    @Test
    void a_failure_that_cannot_be_told_is_told_by_its_class() {
        stumbles.tell("A lane failed", new Speechless());
        stumbles.tell("A lane failed", new Speechless());
        assertThat(lines("A lane failed")).hasSize(1);
        assertThat(lines("Speechless")).isNotEmpty();
    }

    @Test
    void each_place_and_each_kind_is_told_for_itself() {
        stumbles.tell("The watch failed", new IllegalStateException("one"));
        stumbles.tell("The watch failed", new IllegalArgumentException("another"));
        stumbles.tell("The queue failed", new IllegalStateException("one"));
        assertThat(lines(" failed")).hasSize(3);
    }

    @Test
    void two_mistakes_of_one_class_are_both_told_with_their_stacks() {
        stumbles.tell("A lane failed", thrownHere());
        stumbles.tell("A lane failed", thrownThere());
        stumbles.tell("A lane failed", thrownHere());
        assertThat(lines("A lane failed")).hasSize(2);
        assertThat(lines("\tat ").stream().filter(line -> line.contains("StumblesTest.thrown")))
                .hasSize(2);
    }

    private static Exception thrownHere() {
        return new NullPointerException();
    }

    private static Exception thrownThere() {
        return new NullPointerException();
    }

    @Test
    void a_failure_of_linkage_names_the_class_path() {
        stumbles.tell("The watch failed", new IllegalStateException(new NoSuchMethodError("gone")));
        assertThat(lines("A library is missing on the class path, or has another version"))
                .hasSize(1);
    }

    @Test
    void a_class_that_failed_to_initialize_and_causes_in_a_ring_have_no_hint() {
        Exception one = new IllegalStateException("one");
        one.initCause(new IllegalStateException("another", one));
        stumbles.tell("The watch failed", one);
        stumbles.tell("The queue failed", new ExceptionInInitializerError("no file"));
        assertThat(lines(" failed")).hasSize(2).noneMatch(line -> line.contains("A library"));
    }

    private List<String> lines(String words) {
        return told.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains(words))
                .toList();
    }
}
