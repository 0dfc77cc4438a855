package io.postrider.engine.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each chore is done by itself. */
class ChoresTest {
    private final Outage outage = new Outage(new Hands(), Duration.ofSeconds(1), new Observers(List.of()));
    private final Chores chores = new Chores(outage);
    private final List<String> done = new ArrayList<>();

    @Test
    void a_chore_that_fails_keeps_no_other_from_being_done() {
        attempt("old segments stay", new StoreException("no answer"));
        attempt("what 'wallet' need not keep stays", new IllegalStateException("a mistake"));
        attempt("what 'search' need not keep stays", null);
        assertThat(done).containsExactly("what 'search' need not keep stays");
    }

    @Test
    void a_failure_that_cannot_be_told_keeps_no_other_chore_from_being_done() {
        String told = Told.by(() -> attempt("old segments stay", new Speechless()));
        attempt("what 'search' need not keep stays", null);
        assertThat(done).containsExactly("what 'search' need not keep stays");
        assertThat(told).contains("old segments stay", "Speechless");
    }

    @Test
    void a_chore_that_failed_is_tried_again() {
        attempt("old segments stay", new StoreException("no answer"));
        attempt("old segments stay", null);
        assertThat(done).containsExactly("old segments stay");
    }

    @Test
    void an_outage_that_is_known_is_told_without_a_stack_and_all_else_with_one() {
        String refusal = Told.by(() -> attempt("old records stay", new StoreException("no right to delete")));
        assertThat(refusal).contains("old records stay", "no right to delete", "\tat ");
        outage.down(new StoreException("no answer"));
        String outage = Told.by(() -> attempt("old segments stay", new StoreException("no answer")));
        assertThat(outage).contains("old segments stay", "no answer").doesNotContain("\tat ");
        String mistake = Told.by(() -> attempt("old segments stay", new IllegalStateException("a mistake")));
        assertThat(mistake).contains("old segments stay", "a mistake", "\tat ");
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
