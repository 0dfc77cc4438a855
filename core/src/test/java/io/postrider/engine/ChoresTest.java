package io.postrider.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.spi.StoreException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each chore is done by itself. */
class ChoresTest {
    private final Chores chores = new Chores();
    private final List<String> done = new ArrayList<>();

    @Test
    void a_chore_that_fails_keeps_no_other_from_being_done() {
        attempt("old segments stay", new StoreException("no answer"));
        attempt("what 'wallet' need not keep stays", new IllegalStateException("a mistake"));
        attempt("what 'search' need not keep stays", null);
        assertThat(done).containsExactly("what 'search' need not keep stays");
    }

    @Test
    void a_chore_that_failed_is_tried_again() {
        attempt("old segments stay", new StoreException("no answer"));
        attempt("old segments stay", null);
        assertThat(done).containsExactly("old segments stay");
    }

    @Test
    void a_store_that_fails_is_told_without_a_stack_and_a_mistake_with_one() {
        String outage = told(() -> attempt("old segments stay", new StoreException("no answer")));
        assertThat(outage).contains("old segments stay", "no answer").doesNotContain("\tat ");
        String mistake = told(() -> attempt("old segments stay", new IllegalStateException("a mistake")));
        assertThat(mistake).contains("old segments stay", "a mistake", "\tat ");
    }

    private static String told(Runnable doing) {
        PrintStream before = System.err;
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        try {
            doing.run();
        } finally {
            System.setErr(before);
        }
        return told.toString(StandardCharsets.UTF_8);
    }

    private void attempt(String consequence, @org.jspecify.annotations.Nullable RuntimeException failure) {
        chores.run(consequence, () -> {
            if (failure != null) {
                throw failure;
            }
            done.add(consequence);
        });
    }
}
