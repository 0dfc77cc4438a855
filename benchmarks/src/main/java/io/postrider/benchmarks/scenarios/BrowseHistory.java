package io.postrider.benchmarks.scenarios;

import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.PostriderRun;
import io.postrider.policy.Start;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/**
 * A log with a history: events of five types, with keys, tenants, users and correlation ids, all of them settled by one
 * subscription but for some that are dead; and the search indexes of a log that is not under load.
 */
final class BrowseHistory {
    static final String SUBSCRIPTION = "browsed";

    private static final int CHUNK = 250_000;
    /** Events in the newest segment, which is open and has no indexes. */
    private static final int NEWEST = 1_000;

    private static final int DEAD = 20_000;
    private static final int TYPES = 5;
    private static final int TENANTS = 500;
    private static final int USERS = 100_000;
    private static final int EVENTS_OF_KEY = 20;
    private static final int EVENTS_OF_CHAIN = 4;
    /** Positions of a settlement. */
    private static final int BATCH = 16_000;

    private static final int SOME_IDS = 1_000;
    private static final Duration KEPT = Duration.ofDays(7);

    private final Database database;
    private final PostgresStore store;
    private final int history;
    private Instant oldest = Instant.EPOCH;
    private Instant newest = Instant.EPOCH;

    BrowseHistory(Database database, PostgresStore store, int history) {
        this.database = database;
        this.store = store;
        this.history = history;
    }

    void fill() throws Exception {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "type-*");
        for (int from = 1; from <= history; from += CHUNK) {
            store.prune().prune(KEPT);
            database.execute(chunk(from, Math.min(history, from + CHUNK - 1)));
        }
        store.prune().prune(KEPT);
        database.execute(chunk(history + 1, history + NEWEST));
        database.execute(settled(), buried(), tried());
        PostriderRun.prepareSearch(store);
        database.settleDown();
        oldest = Instant.parse(database.value(time("min")));
        newest = Instant.parse(database.value(time("max")));
    }

    private static String time(String which) {
        return "SELECT to_char(" + which + "(appended_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
                + " FROM postrider.event_log";
    }

    /** As an append writes them, by one statement. */
    private String chunk(int from, int to) {
        return """
                INSERT INTO postrider.event_log (id, type, key, tenant, payload, headers, lane, bytes)
                SELECT postrider.draw_id(), 'type-' || i %% %1$d, key, 'tenant-' || abs(hashint4(i)) %% %2$d,
                    '{"payout":"settled"}',
                    ('{"userId":"user-' || abs(hashint4(-i)) %% %3$d || '","correlationId":"chain-' || i / %4$d
                        || '"}')::json,
                    postrider.lane_of(key, NULL), 20
                FROM (SELECT i, 'key-' || i %% %5$d AS key FROM generate_series(%6$d, %7$d) AS i) AS made
                """.formatted(TYPES, TENANTS, USERS, EVENTS_OF_CHAIN, history / EVENTS_OF_KEY, from, to);
    }

    /** As each lane settles, batch by batch. */
    private static String settled() {
        return """
                INSERT INTO postrider.settlement (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                    delivered, skipped, parked, dead, expired, discarded)
                SELECT subscription, lane, epoch, n, reached, pg_current_snapshot(), pg_current_xact_id(), reached,
                    0, 0, 0, 0, 0, 0
                FROM postrider.lane, (
                    SELECT n / %1$d + 1 AS n, max(position) AS reached
                    FROM (SELECT position, row_number() OVER (ORDER BY position) AS n FROM postrider.event_log) AS log
                    GROUP BY n / %1$d
                ) AS batch
                """.formatted(BATCH);
    }

    private String buried() {
        return """
                INSERT INTO postrider.delivery (subscription, lane, position, id, type, key, status, attempt, due_at,
                    suspect, error, headers, tenant, appended_at)
                SELECT '%s', o.lane, o.position, o.id, o.type, o.key, 'dead', 10, now(), false, 'the handler is broken',
                    o.headers, o.tenant, o.appended_at
                FROM (SELECT *, row_number() OVER (ORDER BY position) AS n FROM postrider.event_log) AS o
                WHERE o.n %% %d = 0
                """.formatted(SUBSCRIPTION, Math.max(1, (history + NEWEST) / DEAD));
    }

    private static String tried() {
        return """
                INSERT INTO postrider.attempt (subscription, position, attempt, outcome, error, node)
                SELECT subscription, position, n, CASE n WHEN 10 THEN 'dead' ELSE 'retrying' END, error, 'node'
                FROM postrider.delivery, generate_series(1, 10) AS n
                """;
    }

    // ---- what is asked for
    // --------------------------------------------------------------------------------------------

    String type(Random random) {
        return "type-" + random.nextInt(TYPES);
    }

    String key(Random random) {
        return "key-" + random.nextInt(history / EVENTS_OF_KEY);
    }

    String tenant(Random random) {
        return "tenant-" + random.nextInt(TENANTS);
    }

    String user(Random random) {
        return "user-" + random.nextInt(USERS);
    }

    String correlation(Random random) {
        return "chain-" + random.nextInt(history / EVENTS_OF_CHAIN);
    }

    Instant time(Random random) {
        long length = Duration.between(oldest, newest).toMillis();
        return oldest.plusMillis((long) (random.nextDouble() * length));
    }

    /** Some of all over the log but its last tenth: between segments there are gaps. */
    private List<Long> positions(Connection connection) throws SQLException {
        List<Long> positions = new ArrayList<>();
        try (var select = connection.createStatement();
                ResultSet row = select.executeQuery("""
                        SELECT position
                        FROM (SELECT position, row_number() OVER (ORDER BY position) AS n
                            FROM postrider.event_log) AS o
                        WHERE n <= %1$d - %1$d / 10 AND n %% %2$d = 0
                        """.formatted(history, Math.max(1, history / SOME_IDS)))) {
            while (row.next()) {
                positions.add(row.getLong(1));
            }
        }
        return positions;
    }

    /** Ids of events all over the log, some of them dead. */
    List<EventId> ids(Random random) throws SQLException {
        List<EventId> ids = new ArrayList<>();
        try (Connection connection = database.connection();
                var select = connection.prepareStatement("""
                        (SELECT id FROM postrider.event_log WHERE lane = ? AND position >= ? ORDER BY position LIMIT 1)
                        UNION ALL
                        (SELECT id FROM postrider.delivery WHERE subscription = ? AND status = 'dead' AND position >= ?
                         ORDER BY position LIMIT 1)
                        """)) {
            List<Long> positions = positions(connection);
            for (int i = 0; i < SOME_IDS / 2; i++) {
                long position = positions.get(random.nextInt(positions.size()));
                select.setInt(1, random.nextInt(Lane.COUNT_DEFAULT));
                select.setLong(2, position);
                select.setString(3, SUBSCRIPTION);
                select.setLong(4, position);
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        ids.add(new EventId(row.getObject(1, UUID.class)));
                    }
                }
            }
        }
        return ids;
    }
}
