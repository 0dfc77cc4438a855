package io.postrider.benchmarks.scenarios;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Position;
import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.measure.PostriderRun;
import io.postrider.operate.By;
import io.postrider.operate.Removal;
import io.postrider.policy.Start;
import io.postrider.postgres.PostgresStore;
import io.postrider.postgres.PostgresStoreConfig;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;

/**
 * Drains a backlog that lies behind a history: rows which another subscription has settled, in a log of its own. The
 * history's payloads are small, so that ten millions of them can be made; the backlog's have their 1 KB.
 */
final class HistoryDrain implements Contender, AutoCloseable {
    private static final int CHUNK = 250_000;
    private static final Duration KEPT = Duration.ofDays(7);

    private final Database database;
    private final int history;
    private final int backlog;
    private final String schema;
    private final HikariDataSource pool;
    private final PostgresStore store;
    private long end;
    private int rounds;

    HistoryDrain(Database database, int history, int backlog) {
        this.database = database;
        this.history = history;
        this.backlog = backlog;
        this.schema = "history_" + history;
        this.pool = database.pool(PostriderDrain.CONNECTIONS);
        this.store = PostgresStore.of(pool, PostgresStoreConfig.DEFAULT.schema(schema));
    }

    @Override
    public String label() {
        return String.format(Locale.ROOT, "postrider, %,d events behind %,d settled ones", backlog, history);
    }

    int history() {
        return history;
    }

    /** Where the backlog is, for a bare read of it. */
    String source() {
        return schema + ".outbox WHERE position > " + end;
    }

    /** The history, all of it settled, and the backlog behind it. */
    void fill() throws Exception {
        for (int from = 1; from <= history; from += CHUNK) {
            store.prune().prune(KEPT);
            database.execute(chunk(from, Math.min(history, from + CHUNK - 1)));
        }
        store.prune().prune(KEPT);
        PostriderRun.drain(store, "history", Start.beginning(), history, context -> {});
        end = endOfHistory();
        PostriderRun.fill(store, backlog, Payloads::key);
    }

    /** The last position drawn: between segments there are gaps. */
    private long endOfHistory() throws SQLException {
        long events = Long.parseLong(database.value("SELECT count(*) FROM " + schema + ".event_log"));
        if (events != history) {
            throw new IllegalStateException("the history has " + events + " events, not " + history);
        }
        return Long.parseLong(database.value("SELECT last_value FROM " + schema + ".event_position"));
    }

    /** As an append writes them, by one statement. */
    private String chunk(int from, int to) {
        return """
                INSERT INTO %1$s.event_log (id, type, key, payload, headers, lane, bytes)
                SELECT %1$s.draw_id(), '%2$s', key, '{"payout":"settled"}', '{}', %1$s.lane_of(key, NULL), 20
                FROM (SELECT 'team-' || i %% %3$d AS key FROM generate_series(%4$d, %5$d) AS i) AS made
                """.formatted(schema, Payloads.TYPE, Payloads.KEYS, from, to);
    }

    @Override
    public double round() throws Exception {
        database.execute("CHECKPOINT");
        String subscription = "drain-" + ++rounds;
        try {
            return PostriderRun.drain(store, subscription, Start.after(new Position(end)), backlog, context -> {});
        } finally {
            store.operate().remove(subscription, new By("benchmark", "the round is over"), Removal.DROPPING);
        }
    }

    @Override
    public void close() {
        pool.close();
        try {
            database.execute("DROP SCHEMA " + schema + " CASCADE");
        } catch (SQLException e) {
            throw new IllegalStateException("the history could not be dropped", e);
        }
    }
}
