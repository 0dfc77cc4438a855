package io.postrider.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What was appended when no segment was left: rows in the default partition. That can be only where segments are
 * narrow, as they once were, and no node ran for a long time.
 *
 * <p>They cannot stay there: each new segment has to be checked against them, which takes seconds while appends wait,
 * and nothing prunes them. So the default partition becomes a segment as it is, and a new one takes its place. Moving
 * rows would cost more, and a reader might see them twice or not at all.
 *
 * <p>PostgreSQL takes a table as a segment without reading it if a constraint proves its bounds, and a constraint is
 * proven beside running appends. But a constraint that ends where appends are about to arrive would refuse them, if the
 * node that brought it dies. So the bound lies {@link #FAR} ahead, or where the next segment begins, out of everyone's
 * reach, and once the segment is made the sequence moves on as from any other ({@link Segments}).
 *
 * <p>Each step is a transaction of its own, and whoever prunes next goes on where another left off.
 */
final class Overflow {
    /** How far a segment that was the default partition reaches beyond its events: years of appends. */
    static final long FAR = 1L << 40;

    private static final Pattern PROOF = Pattern.compile(">= '?(\\d+).*< '?(\\d+)");

    private final Jdbc jdbc;
    private final String table;

    /** A constraint on the default partition: all positions are at {@code from} or above, and below {@code to}. */
    private record Proof(long from, long to, boolean valid) {}

    Overflow(Jdbc jdbc, String table) {
        this.jdbc = jdbc;
        this.table = table;
    }

    /**
     * Makes a segment of the default partition, whose positions are from {@code from} to {@code to}; false if not yet.
     */
    boolean becomesSegment(Connection connection, long from, long to) throws SQLException {
        Proof proof = proof(connection);
        if (proof == null) {
            proof = new Proof(from, to, false);
            if (!announce(connection, proof)) {
                return false;
            }
        }
        return (proof.valid() || validate(connection)) && exchange(connection, proof);
    }

    private @Nullable Proof proof(Connection connection) throws SQLException {
        String sql = """
                SELECT pg_get_constraintdef(oid), convalidated FROM pg_constraint
                WHERE conrelid = ?::regclass AND conname = 'overflow'
                """;
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, jdbc.sql("{" + table + "_rest}"));
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                Matcher bounds = PROOF.matcher(row.getString(1));
                if (!bounds.find()) {
                    throw new IllegalStateException("not a constraint of ours: " + row.getString(1));
                }
                return new Proof(Long.parseLong(bounds.group(1)), Long.parseLong(bounds.group(2)), row.getBoolean(2));
            }
        }
    }

    private boolean announce(Connection connection, Proof proof) throws SQLException {
        return Ddl.attempt(jdbc, connection, jdbc.sql("""
                ALTER TABLE {%s_rest} ADD CONSTRAINT overflow
                    CHECK (position >= %d AND position < %d) NOT VALID
                """.formatted(table, proof.from(), proof.to())));
    }

    /** Reads all rows, and keeps nobody from adding more. */
    private boolean validate(Connection connection) throws SQLException {
        return Ddl.attempt(
                jdbc, connection, jdbc.sql("ALTER TABLE {%s_rest} VALIDATE CONSTRAINT overflow".formatted(table)));
    }

    /** The new default partition refuses positions of segments from the beginning. See {@link Segments}. */
    private boolean exchange(Connection connection, Proof proof) throws SQLException {
        long end = Math.max(proof.to(), end(connection));
        return Ddl.attempt(
                jdbc, connection, jdbc.sql("""
                ALTER TABLE {%1$s} DETACH PARTITION {%1$s_rest};
                ALTER TABLE {%1$s_rest} RENAME TO %1$s_%2$d;
                ALTER TABLE {%1$s} ATTACH PARTITION {%1$s_%2$d} FOR VALUES FROM (%2$d) TO (%3$d);
                ALTER TABLE {%1$s_%2$d} DROP CONSTRAINT overflow, DROP CONSTRAINT IF EXISTS beyond;
                CREATE TABLE {%1$s_rest} (LIKE {%1$s} INCLUDING ALL);
                ALTER TABLE {%1$s} ATTACH PARTITION {%1$s_rest} DEFAULT;
                %4$s;
                INSERT INTO {segment} (log, first, next) VALUES ('%1$s', %2$d, %3$d)
                """.formatted(table, proof.from(), proof.to(), refusal(table, end))));
    }

    /** Where the highest segment ends; 0 if there is none. */
    private long end(Connection connection) throws SQLException {
        String sql = jdbc.sql("SELECT coalesce(max(next), 0) FROM {segment} WHERE log = ?");
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, table);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** Has the default partition refuse positions of wide segments, of which the highest ends there. */
    static String refusal(String table, long end) {
        return """
                ALTER TABLE {%s_rest} DROP CONSTRAINT IF EXISTS beyond,
                    ADD CONSTRAINT beyond CHECK (position < %d OR position >= %d) NOT VALID
                """.formatted(table, Segments.WIDTH, end).strip();
    }
}
