package io.postrider.benchmarks.measure;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The state the application changes: one row of 1 KB per writer, each on a page of its own. */
public final class BusinessRows {
    private BusinessRows() {}

    public static void create(Database database, int writers) throws SQLException {
        database.execute(
                "DROP TABLE IF EXISTS bench.account",
                """
                CREATE TABLE bench.account (id int PRIMARY KEY, version bigint NOT NULL, body text NOT NULL)
                WITH (fillfactor = 20)
                """,
                "INSERT INTO bench.account SELECT id, 0, '%s' FROM generate_series(0, %d) id"
                        .formatted(Payloads.get(0), writers - 1));
    }

    public static void update(Connection transaction, int writer, String body) throws SQLException {
        try (PreparedStatement update =
                transaction.prepareStatement("UPDATE bench.account SET version = version + 1, body = ? WHERE id = ?")) {
            update.setString(1, body);
            update.setInt(2, writer);
            update.executeUpdate();
        }
    }
}
