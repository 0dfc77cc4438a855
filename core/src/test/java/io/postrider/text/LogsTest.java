package io.postrider.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/** A line that fails is told without its exception, and its caller never hears of it. */
class LogsTest {
    private final List<String> lines = new ArrayList<>();
    private boolean broken;

    private final Logger logger = Logs.guarded((Logger) Proxy.newProxyInstance(
            Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
                if (broken) {
                    throw new OutOfMemoryError("simulated");
                }
                Object last = arguments[arguments.length - 1];
                lines.add(arguments[0] + " " + (last instanceof Throwable failure ? failure.getMessage() : last));
                return method.getReturnType() == boolean.class ? true : null;
            }));

    @Test
    void a_line_is_written_as_it_is() {
        logger.warn("Source {} failed", "orders");
        logger.error("A lane failed", new IllegalStateException("for a reason"));
        assertThat(lines).containsExactly("Source {} failed orders", "A lane failed for a reason");
    }

    @Test
    void an_exception_that_cannot_be_told_any_more_is_told_by_its_class() {
        logger.error("A lane failed", new Bound());
        logger.error("Lane {} failed {} times", new Object[] {3, 2, new Bound()});
        assertThat(lines.get(0)).startsWith("A lane failed " + Bound.class.getName());
        assertThat(lines).hasSize(2);
    }

    @Test
    void a_logger_that_fails_whatever_it_is_asked_stops_nobody() {
        broken = true;
        logger.error("A lane failed", new IllegalStateException("for a reason"));
        assertThat(logger.isDebugEnabled()).isFalse();
        assertThat(lines).isEmpty();
    }

    /** Its words are bound to the thread that threw it. */
    private static final class Bound extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no request is bound to this thread");
        }
    }
}
