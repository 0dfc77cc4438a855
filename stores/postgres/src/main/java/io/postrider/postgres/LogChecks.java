package io.postrider.postgres;

import io.postrider.Lane;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Refuses a log that cannot be trusted, when a store starts. */
final class LogChecks {
    private static final String ENCODING = "UTF8";
    private static final String MAKE_ANOTHER =
            ENCODING + ": CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0 makes one";

    private static final String DRAWN = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {event_position}";

    private final Jdbc jdbc;

    LogChecks(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    /** Statements name the schema as it is. */
    void refuseKeyword() {
        boolean keyword = jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT 1 FROM pg_get_keywords() WHERE word = ? AND catcode IN ('R', 'T')")) {
                select.setString(1, jdbc.schema());
                try (ResultSet row = select.executeQuery()) {
                    return row.next();
                }
            }
        });
        if (keyword) {
            throw new IllegalArgumentException(
                    "'" + jdbc.schema() + "' is a keyword of PostgreSQL: give the schema another name");
        }
    }

    /** The same refusal in a script. */
    static String encodingCheck() {
        return """
                DO $$
                BEGIN
                    IF current_setting('server_encoding') <> '%s' THEN
                        RAISE EXCEPTION USING MESSAGE = 'the database has the encoding '
                            || current_setting('server_encoding') || ', and Postrider needs %s';
                    END IF;
                END
                $$;
                """.formatted(ENCODING, MAKE_ANOTHER.replace("'", "''"));
    }

    /** Types, keys and payloads are text of all scripts, and other encodings do not have all characters. */
    void refuseEncoding() {
        String encoding = jdbc.autocommit(connection -> {
            try (PreparedStatement select = connection.prepareStatement("SHOW server_encoding");
                    ResultSet row = select.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        });
        if (!encoding.equals(ENCODING)) {
            throw new IllegalStateException(
                    "the database has the encoding " + encoding + ", and Postrider needs " + MAKE_ANOTHER);
        }
    }

    /**
     * Events that are drawn a position some other event has already would be lost on readers. The sequence is read
     * again before it is blamed: appends go on while the log is looked at.
     */
    void refuseSequenceBehindLog() {
        jdbc.autocommit(this::refuseSequenceBehindLog);
    }

    private boolean refuseSequenceBehindLog(Connection connection) throws SQLException {
        long drawn = number(connection, DRAWN);
        long newest = number(connection, newest(drawn));
        if (newest > drawn && newest > number(connection, DRAWN)) {
            throw new IllegalStateException(jdbc.sql("the sequence {event_position} is at " + drawn
                    + ", behind the log, whose newest event is at " + newest
                    + ": new events would not be seen. Let nobody append, and set it with"
                    + " SELECT setval('{event_position}', (SELECT max(position) FROM {event_log}))"));
        }
        return true;
    }

    /**
     * The number in the text has PostgreSQL leave out, and not lock, all segments below it. Lane by lane, because the
     * indexes begin with the lane: without it, the whole open segment is read. All lanes that a log can have, because
     * this role may have no right to ask how many there are.
     */
    static String newest(long drawn) {
        return """
                SELECT max(o.position) FROM generate_series(0, %d) AS l (lane) CROSS JOIN LATERAL (
                    SELECT position FROM {event_log}
                    WHERE lane = l.lane AND position > %d ORDER BY position DESC LIMIT 1
                ) o
                """.formatted(Lane.COUNT_MAX - 1, drawn);
    }

    /** 0 where there is none. */
    private long number(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(jdbc.sql(sql))) {
            row.next();
            return row.getLong(1);
        }
    }

    /**
     * Of the checks those that the role has the rights for: one that runs nodes has them all, one that appends none.
     */
    void checkWhatTheRoleMay() {
        Rights rights = jdbc.autocommit(this::rights);
        if (rights.readLog()) {
            refuseSequenceBehindLog();
        }
        if (rights.rebase()) {
            new Restore(jdbc).rebaseIfRestored();
        } else if (rights.readCluster() && new Restore(jdbc).isRestored()) {
            throw new IllegalStateException("schema '" + jdbc.schema() + "' was restored into another cluster, and this"
                    + " role may not rebase its cursors: run './postrider migrate --schema " + jdbc.schema()
                    + "' as the owner of the schema");
        }
    }

    private record Rights(boolean readLog, boolean readCluster, boolean rebase) {}

    private Rights rights(Connection connection) throws SQLException {
        String sql = jdbc.sql("""
                SELECT has_table_privilege('{event_log}', 'SELECT')
                        AND has_sequence_privilege('{event_position}', 'SELECT'),
                    has_table_privilege('{cluster}', 'SELECT'),
                    has_table_privilege('{cluster}', 'UPDATE') AND has_table_privilege('{lane}', 'UPDATE')
                        AND has_table_privilege('{settlement}', 'INSERT')
                        AND has_table_privilege('{delivery}', 'INSERT')
                """);
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return new Rights(row.getBoolean(1), row.getBoolean(2), row.getBoolean(3));
        }
    }
}
