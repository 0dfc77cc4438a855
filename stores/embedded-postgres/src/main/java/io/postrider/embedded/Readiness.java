package io.postrider.embedded;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.function.BooleanSupplier;

/**
 * Whether the server that answers is the one that was started: it has our data folder and the durability we asked for.
 * An open port alone could be anybody's.
 */
final class Readiness {

    static final List<String> DURABILITY = List.of("fsync", "synchronous_commit", "full_page_writes");

    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);
    private static final String CANNOT_CONNECT_NOW = "57P03";
    private static final String CONNECTION_FAILURES = "08";

    private final ServerFolder folder;
    private final int port;
    private final EmbeddedPostgresConfig config;

    Readiness(ServerFolder folder, int port, EmbeddedPostgresConfig config) {
        this.folder = folder;
        this.port = port;
        this.config = config;
    }

    /** Returns when the server is ready; fails at once when its process is gone or answers as another server. */
    void await(BooleanSupplier alive, ServerLog log) {
        long deadline = System.nanoTime() + config.startTimeout().toNanos();
        while (!accepts()) {
            if (!alive.getAsBoolean()) {
                throw new EmbeddedPostgresException(
                        "PostgreSQL in " + folder.path() + " ended while it was starting:\n" + log.tail());
            }
            if (System.nanoTime() - deadline > 0) {
                throw new EmbeddedPostgresException("PostgreSQL in " + folder.path() + " was not ready within "
                        + config.startTimeout() + ":\n" + log.tail());
            }
            if (!Await.pause()) {
                Thread.currentThread().interrupt();
                throw new EmbeddedPostgresException("Interrupted while PostgreSQL was starting");
            }
        }
    }

    private boolean accepts() {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            verify(statement);
            return true;
        } catch (SQLException e) {
            if (isNotYet(e)) {
                return false;
            }
            throw new EmbeddedPostgresException(
                    "The server on port " + port + " refused the password in " + folder.passwordFile()
                            + " or the first query: " + e.getMessage(),
                    e);
        }
    }

    private static boolean isNotYet(SQLException e) {
        String state = e.getSQLState();
        return state != null && (state.equals(CANNOT_CONNECT_NOW) || state.startsWith(CONNECTION_FAILURES));
    }

    private Connection connect() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", Cluster.SUPERUSER);
        properties.setProperty("password", folder.password());
        properties.setProperty("connectTimeout", Long.toString(ANSWER_TIMEOUT.toSeconds()));
        properties.setProperty("socketTimeout", Long.toString(ANSWER_TIMEOUT.toSeconds()));
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres", properties);
    }

    private void verify(Statement statement) throws SQLException {
        require(statement, "data_directory", folder.data().toString());
        for (String name : DURABILITY) {
            if (!config.settings().containsKey(name)) {
                require(statement, name, "on");
            }
        }
    }

    private void require(Statement statement, String name, String expected) throws SQLException {
        try (ResultSet row = statement.executeQuery("SHOW " + name)) {
            row.next();
            String actual = row.getString(1);
            if (!actual.equals(expected)) {
                throw new EmbeddedPostgresException("The server on port " + port + " has " + name + " = " + actual
                        + " instead of " + expected + ": it is another server, or its database overrides the setting.");
            }
        }
    }
}
