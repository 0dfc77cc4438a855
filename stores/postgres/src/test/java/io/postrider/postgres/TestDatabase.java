package io.postrider.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A schema of its own on the one server that all tests of this process share. */
final class TestDatabase implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String schema = "test_" + COUNT.incrementAndGet();
    private final HikariDataSource dataSource = pool(Server.SHARED, 20);

    /** Started by the first test that needs it, stopped with the process. */
    private static final class Server {
        static final EmbeddedPostgres SHARED = EmbeddedPostgres.temporary(
                Map.of("fsync", "off", "max_connections", "200", "max_prepared_transactions", "10"));
    }

    static EmbeddedPostgres server() {
        return Server.SHARED;
    }

    static HikariDataSource pool(EmbeddedPostgres server, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.jdbcUrl());
        config.setUsername(server.user());
        config.setPassword(server.password());
        config.setMaximumPoolSize(size);
        return new HikariDataSource(config);
    }

    String schema() {
        return schema;
    }

    DataSource dataSource() {
        return dataSource;
    }

    PostgresStoreConfig config() {
        return PostgresStoreConfig.DEFAULT.schema(schema).segmentSize(100);
    }

    PostgresStore store() {
        return PostgresStore.of(dataSource, config());
    }

    Connection begin() {
        try {
            Connection connection = dataSource.getConnection();
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql.replaceAll("\\{(\\w+)}", schema + ".$1"));
        }
    }

    long number(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql.replaceAll("\\{(\\w+)}", schema + ".$1"))) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public void close() {
        try {
            execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
        } catch (SQLException e) {
            throw new IllegalStateException("the schema " + schema + " could not be dropped", e);
        } finally {
            dataSource.close();
        }
    }
}
