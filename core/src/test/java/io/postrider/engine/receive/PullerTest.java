package io.postrider.engine.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.ReceiveOptions;
import io.postrider.destination.Source;
import io.postrider.destination.SourceException;
import io.postrider.engine.base.Observers;
import io.postrider.engine.base.Speechless;
import io.postrider.engine.base.SystemEnvironment;
import io.postrider.observe.Observation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PullerTest {
    private final SystemEnvironment environment = new SystemEnvironment();
    private final BlockingQueue<String> failures = new LinkedBlockingQueue<>();
    private final List<Observation> observed = new CopyOnWriteArrayList<>();
    private volatile boolean speechless;

    @AfterEach
    void close() {
        environment.close();
    }

    @Test
    void the_last_reason_is_shown_and_the_first_is_told() throws Exception {
        Puller puller = puller(Duration.ofMillis(1));
        puller.pull();
        failures.put("nobody is there");
        failures.put("wrong password");
        failures.put("wrong password");
        failures.put("wrong password"); // taken once the answer before it has been dealt with
        while (!failures.isEmpty()) {
            Thread.onSpinWait();
        }
        assertThat(puller.down()).isEqualTo("wrong password");
        assertThat(observed).containsExactly(new Observation.SourceDown("silent", "nobody is there"));
    }

    @Test
    void a_source_whose_failure_cannot_be_told_is_pulled_again() throws Exception {
        speechless = true;
        Puller puller = puller(Duration.ofMillis(1));
        puller.pull();
        failures.put("first");
        failures.put("second"); // taken by the next pull alone
        while (!failures.isEmpty()) {
            Thread.onSpinWait();
        }
        assertThat(observed).singleElement().asString().contains("Speechless");
    }

    @Test
    void a_stop_waits_for_no_pause() throws Exception {
        Puller puller = puller(Duration.ofHours(1));
        puller.pull();
        failures.put("nobody is there");
        while (puller.down() == null) {
            Thread.onSpinWait();
        }
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        puller.stop(() -> stopped.complete(null));
        stopped.get(60, TimeUnit.SECONDS);
    }

    private Puller puller(Duration pause) {
        ReceiveOptions options = ReceiveOptions.DEFAULT.backoff(pause, pause);
        Observers observers = new Observers(List.of(observed::add));
        return new Puller(new Silent(), options, environment, observers, () -> 1, arrivals -> {});
    }

    /** Has nothing but reasons why. */
    private final class Silent implements Source {
        @Override
        public String name() {
            return "silent";
        }

        @Override
        public List<Arrival> pull(int most, Duration wait) throws InterruptedException {
            String failure = failures.take();
            throw speechless ? new Speechless() : new SourceException(failure, new IllegalStateException());
        }

        @Override
        public boolean countsAttempts() {
            return false;
        }

        @Override
        public void close() {}
    }
}
