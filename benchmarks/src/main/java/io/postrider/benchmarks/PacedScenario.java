package io.postrider.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.EventContext;
import io.postrider.EventId;
import io.postrider.Payload;
import io.postrider.Postrider;
import io.postrider.Start;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How soon a handler begins after the commit, at a steady pace far below what the engine can do. */
final class PacedScenario implements Scenario {
    private static final int PER_SECOND = 500;
    private static final int WRITERS = 8;
    private static final int CONNECTIONS = 20;
    private static final Duration WARM_UP = Duration.ofSeconds(5);
    private static final Target PACE = Target.atLeast(0.98);
    private static final Target MEDIAN = Target.atMost(5);
    private static final Target TAIL = Target.atMost(25);

    @Override
    public String name() {
        return "paced";
    }

    @Override
    public List<Result> run(Database database, Scale scale) throws Exception {
        BusinessRows.create(database, WRITERS);
        try (HikariDataSource pool = database.pool(CONNECTIONS);
                Postrider<Connection> node = Postrider.on(PostgresStore.of(pool))) {
            Map<EventId, Stamps> stamps = new ConcurrentHashMap<>();
            node.subscribe("paced")
                    .from(Start.end())
                    .on(Payloads.TYPE, (payload, context) -> entered(stamps, context))
                    .start();
            commit(node, stamps, WARM_UP);
            stamps.clear();
            double perSecond = commit(node, stamps, scale.paced());
            return results(perSecond, Latencies.of(stamps.values()));
        }
    }

    private static void entered(Map<EventId, Stamps> stamps, EventContext context) {
        long now = System.nanoTime();
        Stamps found = stamps.get(context.id());
        if (found != null) {
            found.handled(now);
        }
    }

    /** Commits at the pace and waits for the last handler; the pace that was reached. */
    private static double commit(Postrider<Connection> node, Map<EventId, Stamps> stamps, Duration length)
            throws Exception {
        Pace pace = new Pace(PER_SECOND, WRITERS);
        double perSecond = pace.keep(length, (writer, number) -> commitOne(node, stamps, writer, number));
        for (Stamps each : stamps.values()) {
            each.awaitHandled();
        }
        return perSecond;
    }

    private static void commitOne(Postrider<Connection> node, Map<EventId, Stamps> stamps, int writer, long number)
            throws Exception {
        Stamps mine = new Stamps();
        node.transaction(transaction -> {
            String payload = Payloads.get(number);
            BusinessRows.update(transaction, writer, payload);
            Event event = Event.of(Payloads.TYPE, Payload.json(payload)).key(Payloads.key(number));
            EventId id = node.outbox().append(transaction, event);
            stamps.put(id, mine);
            mine.worked(System.nanoTime());
            return id;
        });
        mine.committed(System.nanoTime());
    }

    private static List<Result> results(double perSecond, Latencies latencies) {
        String name = String.format(Locale.ROOT, "paced at %d/s, one JVM: ", PER_SECOND);
        String after = name + "commit returned to handler entered (never below 0), ";
        String around = name + "work returned to handler entered (with the commit), ";
        return List.of(
                Result.compared(name + "pace kept", perSecond, "commits/s", perSecond / PER_SECOND, PACE),
                Result.judged(after + "p50", latencies.afterCommit(50), "ms", MEDIAN),
                Result.judged(after + "p99", latencies.afterCommit(99), "ms", TAIL),
                Result.told(after + "max", latencies.afterCommit(100), "ms"),
                Result.told(around + "p50", latencies.withCommit(50), "ms"),
                Result.told(around + "p99", latencies.withCommit(99), "ms"),
                Result.told(around + "max", latencies.withCommit(100), "ms"));
    }
}
