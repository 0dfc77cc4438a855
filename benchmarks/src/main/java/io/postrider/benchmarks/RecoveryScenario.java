package io.postrider.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Payload;
import io.postrider.Postrider;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/** How long events wait when one of two nodes is killed: committed right after, delivered by the other. */
final class RecoveryScenario implements Scenario {
    private static final String SUBSCRIPTION = "recovery";
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Target TWICE_THE_LEASE = Target.atMost(2);
    /** Keys enough for every lane. */
    private static final int EVENTS = 500;

    @Override
    public String name() {
        return "recovery";
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        try (HikariDataSource pool = database.pool(4);
                Postrider<Connection> appender = Postrider.on(PostgresStore.of(pool));
                NodeProcess survivor = NodeProcess.start(database, SUBSCRIPTION, LEASE);
                NodeProcess victim = NodeProcess.start(database, SUBSCRIPTION, LEASE)) {
            Waiting.untilShared(database, 2);
            long killed = WallClock.nanos();
            victim.kill();
            Set<UUID> ids = append(appender);
            Waiting.until(
                    "the surviving node handled every event",
                    () -> survivor.handled().keySet().containsAll(ids));
            return findings((last(survivor, ids) - killed) / 1e9);
        }
    }

    private static Set<UUID> append(Postrider<Connection> appender) throws Exception {
        Set<UUID> ids = new HashSet<>();
        for (int i = 0; i < EVENTS; i++) {
            Event event = Event.of(Payloads.TYPE, Payload.json(Payloads.get(i))).key(Payloads.key(i));
            EventId id = appender.transaction(transaction -> appender.outbox().append(transaction, event));
            ids.add(id.value());
        }
        return ids;
    }

    private static long last(NodeProcess survivor, Collection<UUID> ids) {
        return ids.stream()
                .mapToLong(id -> survivor.handled().getOrDefault(id, 0L))
                .max()
                .orElseThrow();
    }

    private static Findings findings(double seconds) {
        double lease = LEASE.toMillis() / 1e3;
        String name = String.format(
                Locale.ROOT,
                "recovery: postrider, one of two processes gets SIGKILL, lease %.0f s: last of %d events delivered",
                lease,
                EVENTS);
        Result result = Result.compared(name, seconds, "s", seconds / lease, TWICE_THE_LEASE);
        Result peers = Result.notMeasured("recovery: peers", "postrider only");
        Plot plot = Plot.bars(
                "recovery",
                "From the SIGKILL of a node to the last delivery by the other",
                "seconds",
                List.of(new Plot.Bar("postrider", seconds)),
                new Plot.Bar("twice the lease", 2 * lease));
        return new Findings(List.of(result, peers), List.of(plot));
    }
}
