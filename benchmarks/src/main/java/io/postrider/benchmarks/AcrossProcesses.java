package io.postrider.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Limits;
import io.postrider.Payload;
import io.postrider.Postrider;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Commits here, at a pace, what a node in another process handles. */
final class AcrossProcesses {
    private static final Duration WARM_UP = Duration.ofSeconds(3);

    private final Postrider<Connection> appender;
    private final Pace pace;
    private final Map<UUID, Stamps> stamps = new ConcurrentHashMap<>();

    private AcrossProcesses(Postrider<Connection> appender, Pace pace) {
        this.appender = appender;
        this.pace = pace;
    }

    static Latencies measure(Database database, Pace pace, Duration length) throws Exception {
        try (NodeProcess node = NodeProcess.start(database, "across", Limits.DEFAULT.lease());
                HikariDataSource pool = database.pool(pace.threads() + 2);
                Postrider<Connection> appender = Postrider.on(PostgresStore.of(pool))) {
            AcrossProcesses run = new AcrossProcesses(appender, pace);
            run.commit(node, WARM_UP);
            run.stamps.clear();
            run.commit(node, length);
            return Latencies.of(run.stamps.values());
        }
    }

    private void commit(NodeProcess node, Duration length) throws Exception {
        pace.keep(length, this::commitOne);
        Waiting.until(
                "the other process handled every event",
                () -> node.handled().keySet().containsAll(stamps.keySet()));
        stamps.forEach((id, stamp) -> stamp.handled(node.handled().getOrDefault(id, 0L)));
    }

    private void commitOne(int writer, long number) throws Exception {
        Stamps mine = new Stamps();
        EventId id = appender.transaction(transaction -> {
            String payload = Payloads.get(number);
            BusinessRows.update(transaction, writer, payload);
            EventId appended = appender.outbox()
                    .append(
                            transaction,
                            Event.of(Payloads.TYPE, Payload.json(payload)).key(Payloads.key(number)));
            mine.worked(WallClock.nanos());
            return appended;
        });
        mine.committed(WallClock.nanos());
        stamps.put(id.value(), mine);
    }
}
