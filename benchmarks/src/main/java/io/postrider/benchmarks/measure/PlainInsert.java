package io.postrider.benchmarks.measure;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The floor that any outbox pays: one INSERT of the event's bytes into a table with a primary key. */
public final class PlainInsert {
    public static final String LABEL = "business transaction and one plain INSERT of the same bytes";

    public static final String SQL = "INSERT INTO bench.plain (type, key, payload) VALUES (?, ?, ?)";

    /** What travels with the commit cannot cost less. */
    public static final String WITH_COMMIT_LABEL = LABEL + ", with the COMMIT in one round trip";

    private static final String SQL_AND_COMMIT = SQL + "; COMMIT";

    private PlainInsert() {}

    public static void create(Database database) throws SQLException {
        database.execute("DROP TABLE IF EXISTS bench.plain", """
                CREATE TABLE bench.plain (
                    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                    type text NOT NULL,
                    key text NOT NULL,
                    payload text NOT NULL)
                """);
    }

    public static void insert(Connection transaction, int writer, String payload) throws SQLException {
        insert(transaction, SQL, writer, payload);
    }

    /** The commit that the driver is asked for afterwards sends nothing. */
    public static void insertAndCommit(Connection transaction, int writer, String payload) throws SQLException {
        insert(transaction, SQL_AND_COMMIT, writer, payload);
    }

    private static void insert(Connection transaction, String sql, int writer, String payload) throws SQLException {
        try (PreparedStatement insert = transaction.prepareStatement(sql)) {
            bind(insert, writer, payload);
            insert.execute();
        }
    }

    public static void bind(PreparedStatement insert, int number, String payload) throws SQLException {
        insert.setString(1, Payloads.TYPE);
        insert.setString(2, Payloads.key(number));
        insert.setString(3, payload);
    }
}
