package io.postrider.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.destination.Outcome;
import io.postrider.engine.base.Speechless;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What an exception tells is asked for once, where it was thrown. */
class ThrownTest {
    private final AtomicBoolean bound = new AtomicBoolean(true);

    @Test
    void words_stack_and_place_stay_when_the_exception_tells_nothing_any_more() {
        Outcome.Retry retry = (Outcome.Retry) Outcome.retry(new Bound());
        bound.set(false);
        assertThat(retry.why()).contains("Bound", "refused for ann");
        Thrown thrown = Objects.requireNonNull(retry.thrown());
        assertThat(thrown.stack()).contains("refused for ann", "ThrownTest");
        assertThat(thrown.place()).contains("Bound");
    }

    @Test
    void an_exception_that_cannot_tell_anything_is_told_by_its_class() {
        Thrown thrown = Thrown.of(new Speechless());
        assertThat(thrown.words()).contains(Speechless.class.getName(), "its own methods fail");
        assertThat(thrown.exception()).isNotInstanceOf(Speechless.class);
    }

    @Test
    void a_message_that_fails_beside_words_that_do_not_is_never_anybodys_failure() {
        RuntimeException half = new RuntimeException() {
            @Override
            public String getMessage() {
                throw new IllegalStateException("no body");
            }

            @Override
            public String toString() {
                return "Refused(status=503)";
            }
        };
        assertThat(Failure.message(half)).contains("its own methods fail");
        assertThat(Thrown.of(half).exception()).isNotSameAs(half);
    }

    private final class Bound extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            if (!bound.get()) {
                throw new IllegalStateException("no request is bound to this thread");
            }
            return "refused for ann";
        }
    }
}
