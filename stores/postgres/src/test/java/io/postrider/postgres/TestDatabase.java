package io.postrider.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A schema of its own on the one server that all tests of this process share. */
final class TestDatabase implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final int CONNECTIONS = 20;

    private final String schema;
    private final HikariDataSource dataSource;
    private final String drop;

    TestDatabase() {
        this.schema = "test_" + COUNT.incrementAndGet();
        this.dataSource = pool(Server.SHARED, CONNECTIONS);
        this.drop = "DROP SCHEMA IF EXISTS " + schema + " CASCADE";
    }

    private TestDatabase(String database) {
        this.schema = Prepared.SCHEMA;
        this.dataSource = pool(Server.SHARED, Server.SHARED.jdbcUrl(database), CONNECTIONS);
        this.drop = "DROP DATABASE " + database + " WITH (FORCE)";
    }

    /** One in a database of its own, made as a copy: much faster than to migrate, where there are hundreds of them. */
    static TestDatabase prepared() {
        String database = "test_" + COUNT.incrementAndGet();
        Prepared.execute("CREATE DATABASE " + database + " TEMPLATE " + Prepared.TEMPLATE);
        return new TestDatabase(database);
    }

    /** What the copies are made of; nobody is connected to it. */
    private static final class Prepared {
        static final String TEMPLATE = "prepared";
        static final String SCHEMA = "test";
        static final int APPENDED_AT_ONCE = 2_500;

        static {
            execute("CREATE DATABASE " + TEMPLATE);
            try (HikariDataSource pool = pool(Server.SHARED, Server.SHARED.jdbcUrl(TEMPLATE), 2)) {
                // With segments ahead of anything a test appends at once, as any installation has them after its first
                // minute: an append that runs while a segment is made for the positions it draws fails, and segments
                // here are tiny.
                PostgresStore store = PostgresStore.of(pool, config(SCHEMA));
                execute(pool, "SELECT setval('" + SCHEMA + ".outbox_position', " + APPENDED_AT_ONCE + ")");
                store.prune(Duration.ofDays(1));
                execute(pool, "SELECT setval('" + SCHEMA + ".outbox_position', 1, false)");
            }
        }

        private Prepared() {}

        static void execute(String sql) {
            try (HikariDataSource pool = pool(Server.SHARED, 1)) {
                execute(pool, sql);
            }
        }

        private static void execute(DataSource pool, String sql) {
            try (Connection connection = pool.getConnection();
                    var statement = connection.createStatement()) {
                statement.execute(sql);
            } catch (SQLException e) {
                throw new IllegalStateException(sql, e);
            }
        }
    }

    /** Started by the first test that needs it, stopped with the process. */
    private static final class Server {
        static final EmbeddedPostgres SHARED = EmbeddedPostgres.temporary(
                Map.of("fsync", "off", "max_connections", "200", "max_prepared_transactions", "10"));
    }

    static EmbeddedPostgres server() {
        return Server.SHARED;
    }

    static HikariDataSource pool(EmbeddedPostgres server, int size) {
        return pool(server, server.jdbcUrl(), size);
    }

    private static HikariDataSource pool(EmbeddedPostgres server, String url, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(server.user());
        config.setPassword(server.password());
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(2); // most tests need few, and each that nobody uses is a process of PostgreSQL's
        return new HikariDataSource(config);
    }

    String schema() {
        return schema;
    }

    DataSource dataSource() {
        return dataSource;
    }

    PostgresStoreConfig config() {
        return config(schema);
    }

    private static PostgresStoreConfig config(String schema) {
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
        dataSource.close();
        Prepared.execute(drop);
    }
}
