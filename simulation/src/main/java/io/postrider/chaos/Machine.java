package io.postrider.chaos;

import io.postrider.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;

/** Where figures come from, without which they say little. */
record Machine(int processors, String system, String java, String postgres) {

    /** Asks a PostgreSQL of the kind that the scenarios use for its version. */
    static Machine describe() throws SQLException {
        try (EmbeddedPostgres server = EmbeddedPostgres.temporary(Map.of());
                Connection connection =
                        DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password())) {
            return new Machine(
                    Runtime.getRuntime().availableProcessors(),
                    System.getProperty("os.name") + " " + System.getProperty("os.arch"),
                    Runtime.version().toString(),
                    connection.getMetaData().getDatabaseProductVersion());
        }
    }

    @Override
    public String toString() {
        return processors + " processors, " + system + ", JDK " + java + ", PostgreSQL " + postgres;
    }
}
