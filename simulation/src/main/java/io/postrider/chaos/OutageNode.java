package io.postrider.chaos;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.postrider.Postrider;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.nats.JetStreamConfig;
import io.postrider.nats.JetStreamDestination;
import io.postrider.observability.Meters;
import io.postrider.observe.Observation;
import io.postrider.observe.Observer;
import io.postrider.operate.DestinationStatus;
import io.postrider.operate.Ledger;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A node in this process that sends to JetStream, and what it does. Thread-safe. */
final class OutageNode implements AutoCloseable {
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong down = new AtomicLong();
    private final AtomicLong attempts = new AtomicLong();
    private final AtomicReference<@Nullable Moment> firstAnswer = new AtomicReference<>();
    private final JetStreamConfig config;
    private final JetStreamDestination jetStream;
    private final PostgresStore store;
    private final Postrider<Connection> postrider;

    private OutageNode(HikariDataSource pool, String url, MeterRegistry registry) {
        this.config = RelayNode.destination(url);
        this.jetStream = JetStreamDestination.start(config);
        this.store = PostgresStore.of(pool);
        this.postrider = Postrider.on(
                store, RelayNode.config("outage").observer(new Watch()).observer(Meters.on(registry)));
        postrider.subscribe(RelayNode.SENDING).to("**", jetStream).start();
    }

    static OutageNode start(HikariDataSource pool, String url, MeterRegistry registry) {
        return new OutageNode(pool, url, registry);
    }

    /** Sees each call and its answers: of a destination that is down, the engine tells only that it is. */
    private final class Watch implements Observer {
        @Override
        public void observe(Observation observation) {
            if (observation instanceof Observation.Settled settled) {
                delivered.addAndGet(settled.change().delivered());
            }
        }

        @Override
        public Dispatching dispatching(List<Destination.Dispatch> dispatches) {
            dispatches.forEach(dispatch -> attempts.accumulateAndGet(dispatch.attempt(), Math::max));
            return new Dispatching() {
                @Override
                public void answered(List<Outcome> outcomes) {
                    outcomes.forEach(Watch.this::answered);
                }
            };
        }

        private void answered(Outcome outcome) {
            if (outcome.isDown()) {
                down.incrementAndGet();
            } else {
                firstAnswer.compareAndSet(null, Moment.now());
            }
        }
    }

    /** Forgets when the first event was taken: the next one is the first then. */
    void expectFirst() {
        firstAnswer.set(null);
    }

    /** When the first event was taken, since that was last forgotten. */
    @Nullable
    Moment firstAnswer() {
        return firstAnswer.get();
    }

    /** Events that it has settled as delivered. */
    long delivered() {
        return delivered.get();
    }

    /** Events that were under way when JetStream went away, and are dispatched again. */
    long down() {
        return down.get();
    }

    /** The highest attempt of any event. */
    long attempts() {
        return attempts.get();
    }

    int window() {
        return config.window();
    }

    DestinationStatus status() {
        return postrider.operator().destinations().get(0);
    }

    Ledger ledger() {
        return store.browse().ledger(RelayNode.SENDING);
    }

    @Override
    public void close() {
        postrider.close();
        jetStream.close();
    }
}
