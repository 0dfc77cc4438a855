package io.postrider.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.engine.base.SystemEnvironment;
import io.postrider.store.Claim;
import io.postrider.store.Tasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReadyTasksTest {
    private final SystemEnvironment environment = new SystemEnvironment();
    private final List<Integer> answers = new ArrayList<>();
    private Runnable meanwhile = () -> {};
    private final ReadyTasks ready = new ReadyTasks(new Counted(), environment, "tasks", 10);

    @AfterEach
    void close() {
        environment.close();
    }

    /** A count of many rows, or a store that answers late, would hold up every lane of the queue. */
    @Test
    void a_lane_that_feeds_does_not_wait_for_one_that_asks() {
        answers.add(3);
        meanwhile = () -> CompletableFuture.runAsync(() -> ready.fed(2))
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
        assertThat(ready.hasRoom()).isTrue();
        assertThat(answers).isEmpty();
    }

    @Test
    void tasks_that_were_fed_while_the_store_counts_are_counted() {
        answers.addAll(List.of(9, 9));
        meanwhile = () -> ready.fed(1);
        assertThat(ready.hasRoom()).isFalse();
        meanwhile = () -> {};
        assertThat(ready.hasRoom()).as("asked again").isTrue();
    }

    @Test
    void an_answer_is_good_enough_for_a_while() {
        answers.add(3);
        assertThat(ready.hasRoom()).isTrue();
        assertThat(ready.hasRoom()).isTrue();
        assertThat(answers).isEmpty();
    }

    /** Tasks of which only the count matters: one answer after the other. */
    private final class Counted implements Tasks {
        @Override
        public int ready(String subscription, int most) {
            meanwhile.run();
            return answers.remove(0);
        }

        @Override
        public Prepared prepare(String subscription, Preparer by) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<Claim.ClaimedDelivery> claim(Claimant claimant, int most) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Set<HeldTask> renew(String subscription, Set<HeldTask> tasks, Duration lease) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Set<HeldTask> settle(String subscription, List<Ended> tasks) {
            throw new UnsupportedOperationException();
        }
    }
}
