package io.postrider.postgres;

import io.postrider.EventId;
import io.postrider.store.ConflictException;
import io.postrider.store.FilterText;
import io.postrider.store.Processed;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Processed: one INSERT in the transaction of the effect, which conflicts with an earlier one. The same statement
 * bounds its wait for a transaction that is still open by {@code lock_timeout}, and sets that back before the handler
 * runs.
 */
final class PostgresProcessed implements Processed<Connection> {
    private static final String WITH_EFFECT = "SELECT FROM {subscription} s WHERE s.name = ? AND ' ' || s.filter || ' '"
            + " LIKE '% " + FilterText.WITH_EFFECT + " %'";

    /** Around what is inserted: in the order in which its parts need each other, for one round trip. */
    private static final String INSERT = """
            WITH bounded AS MATERIALIZED (
                SELECT current_setting('lock_timeout') AS own, set_config('lock_timeout', '%d', true)
            ), recorded AS (
                INSERT INTO {processed} (event, handler, bucket)
                SELECT ?::uuid, ?::text, ?::smallint FROM bounded %%s ON CONFLICT DO NOTHING RETURNING 1
            )
            SELECT r.number, set_config('lock_timeout', b.own, true)
            FROM (SELECT count(*) AS number FROM recorded) r CROSS JOIN bounded b
            """.formatted(WAIT.toMillis());

    private static final Set<String> CONFLICTS = Set.of("40001", "40P01");

    /** The wait for a lock took longer than it may. */
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private final Jdbc jdbc;
    private final BucketRing ring;
    private final String insert;
    private final String insertInForm;
    private final String isOtherForm;

    PostgresProcessed(Jdbc jdbc) {
        this.jdbc = jdbc;
        this.ring = new BucketRing(jdbc, "processed");
        this.insert = jdbc.sql(INSERT.formatted(""));
        this.insertInForm = jdbc.sql(INSERT.formatted("WHERE NOT EXISTS (" + WITH_EFFECT + ")"));
        this.isOtherForm = jdbc.sql("SELECT EXISTS (" + WITH_EFFECT + ")");
    }

    @Override
    public boolean first(Connection transaction, EventId event, String handler) {
        try (PreparedStatement statement = transaction.prepareStatement(insert)) {
            boolean first = insert(statement, event, handler);
            LentConnection.written(transaction);
            return first;
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    private static boolean insert(PreparedStatement statement, EventId event, String handler) throws SQLException {
        statement.setObject(1, event.value());
        statement.setString(2, handler);
        statement.setInt(3, BucketRing.bucket(event));
        try (ResultSet recorded = statement.executeQuery()) {
            return recorded.next() && recorded.getInt(1) == 1;
        }
    }

    /** The statement that records asks for the form, too: in between nobody could change it. */
    @Override
    public Recorded record(Connection transaction, EventId event, String subscription) {
        try (PreparedStatement statement = transaction.prepareStatement(insertInForm)) {
            statement.setString(4, subscription);
            boolean first = insert(statement, event, subscription);
            LentConnection.written(transaction);
            if (first) {
                return Recorded.FIRST;
            }
            return isOtherForm(transaction, subscription) ? Recorded.OTHER_FORM : Recorded.REPEATED;
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    private boolean isOtherForm(Connection transaction, String subscription) throws SQLException {
        try (PreparedStatement statement = transaction.prepareStatement(isOtherForm)) {
            statement.setString(1, subscription);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    /**
     * The other transaction has not ended in time; or transactions are serializable or repeat their reads, and the
     * faster of two records ends the other one.
     */
    private static RuntimeException failure(SQLException e) {
        if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
            return new ConflictException(
                    "another transaction has recorded the event and has not ended within " + WAIT.toMillis() + " ms",
                    e);
        }
        RuntimeException failure = Jdbc.failure(e);
        return e.getSQLState() != null && CONFLICTS.contains(e.getSQLState())
                ? new ConflictException(String.valueOf(failure.getMessage()), e)
                : failure;
    }

    @Override
    public boolean forget(Duration age) {
        return ring.forget(age, connection -> before(connection, age));
    }

    /**
     * Until when records may be forgotten. An effect may have been committed whose settle is lost, however long ago, if
     * no node has run the subscription since. Its event is pending, and then the record is younger than the oldest
     * event behind a lane's floor, but for an hour that clocks may be wrong by; or it waits in a row, and then the
     * record is looked for, because the row does not say when it was dispatched: whoever takes it over changes it.
     */
    private @Nullable String before(Connection connection, Duration age) throws SQLException {
        String sql = jdbc.sql("""
                SELECT least(now() - %s, (
                    SELECT min(o.appended_at) FROM {lane} l CROSS JOIN LATERAL (
                        SELECT floor FROM {settlement} s
                        WHERE s.subscription = l.subscription AND s.lane = l.lane ORDER BY s.number DESC LIMIT 1
                    ) s CROSS JOIN LATERAL {events_after}(l.lane, s.floor, 1) o
                ) - interval '1 hour', (
                    SELECT min(p.at) FROM {delivery} d
                    JOIN {processed} p ON p.event = d.id AND p.handler = d.subscription
                      AND p.bucket = (%s)::smallint
                    WHERE d.status IN ('ready', 'waiting', 'running')
                ))::text
                """.formatted(BucketRing.interval(age), BucketRing.bucketOf("d.id")));
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
