package io.postrider.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A schema of its own on the one server that all tests of this process share. */
final class TestDatabase implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final int CONNECTIONS = 20;

    private final String schema;
    private final HikariDataSource dataSource;
    private final Runnable drop;

    TestDatabase() {
        this.schema = "test_" + COUNT.incrementAndGet();
        this.dataSource = pool(Server.SHARED, CONNECTIONS);
        this.drop = () -> Prepared.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
    }

    private TestDatabase(String database) {
        this.schema = Prepared.SCHEMA;
        this.dataSource = pool(Server.SHARED, Server.SHARED.jdbcUrl(database), CONNECTIONS);
        this.drop = () -> Prepared.drop(database);
    }

    /** One in a database of its own, made as a copy: much faster than to migrate, where there are hundreds of them. */
    static TestDatabase prepared() {
        return new TestDatabase(Prepared.next());
    }

    /** Copies of a template to which nobody is connected, each made while the tests before it run. */
    private static final class Prepared {
        static final String TEMPLATE = "prepared";
        static final String SCHEMA = "test";
        private static final int AHEAD = 2;
        private static final ExecutorService BACKGROUND = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "test-databases");
            thread.setDaemon(true);
            return thread;
        });
        private static final Queue<Future<String>> COPIES = new ArrayDeque<>();

        static {
            execute("CREATE DATABASE " + TEMPLATE);
            try (HikariDataSource pool = pool(Server.SHARED, Server.SHARED.jdbcUrl(TEMPLATE), 2)) {
                PostgresStore.of(pool, config(SCHEMA)).prune().prune(Duration.ofDays(1));
            }
        }

        private Prepared() {}

        static synchronized String next() {
            while (COPIES.size() <= AHEAD) {
                COPIES.add(BACKGROUND.submit(Prepared::copy));
            }
            try {
                return COPIES.remove().get();
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }

        private static String copy() {
            String database = "test_" + COUNT.incrementAndGet();
            execute("CREATE DATABASE " + database + " TEMPLATE " + TEMPLATE);
            return database;
        }

        static void drop(String database) {
            BACKGROUND.execute(() -> execute("DROP DATABASE " + database + " WITH (FORCE)"));
        }

        static void execute(String sql) {
            EmbeddedPostgres server = Server.SHARED;
            try (Connection connection =
                            DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password());
                    var statement = connection.createStatement()) {
                statement.execute(sql);
            } catch (SQLException e) {
                throw new IllegalStateException(sql, e);
            }
        }
    }

    /** Started by the first test that needs it, stopped with the process. */
    private static final class Server {
        static final EmbeddedPostgres SHARED = trusting(EmbeddedPostgres.temporary(
                Map.of("fsync", "off", "max_connections", "200", "max_prepared_transactions", "10")));

        /**
         * To hash a password costs both sides milliseconds, and here are thousands of connections; other roles have to.
         */
        private static EmbeddedPostgres trusting(EmbeddedPostgres server) {
            try (Connection connection =
                            DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password());
                    var statement = connection.createStatement();
                    ResultSet file = statement.executeQuery("SHOW hba_file")) {
                file.next();
                String lines =
                        "host all " + server.user() + " 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
                Files.writeString(Path.of(file.getString(1)), lines);
                statement.execute("SELECT pg_reload_conf()");
                return server;
            } catch (SQLException | IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static EmbeddedPostgres server() {
        return Server.SHARED;
    }

    static HikariDataSource pool(EmbeddedPostgres server, int size) {
        return pool(server, server.jdbcUrl(), size);
    }

    /** Of the shared server, with sessions whose transactions have this isolation where they name none. */
    static HikariDataSource pool(String isolation) {
        HikariConfig config = config(Server.SHARED, Server.SHARED.jdbcUrl(), 5);
        config.setTransactionIsolation(isolation);
        return new HikariDataSource(config);
    }

    /** Of the shared server, with sessions that begin with these options of PostgreSQL. */
    static HikariDataSource poolWithOptions(String options) {
        HikariConfig config = config(Server.SHARED, Server.SHARED.jdbcUrl(), CONNECTIONS);
        config.addDataSourceProperty("options", options);
        return new HikariDataSource(config);
    }

    /** Of the shared server, with one connection that {@link CountingSockets} count. */
    static HikariDataSource countedPool() {
        HikariConfig config = config(Server.SHARED, Server.SHARED.jdbcUrl(), 1);
        config.addDataSourceProperty("socketFactory", CountingSockets.class.getName());
        return new HikariDataSource(config);
    }

    private static HikariDataSource pool(EmbeddedPostgres server, String url, int size) {
        return new HikariDataSource(config(server, url, size));
    }

    private static HikariConfig config(EmbeddedPostgres server, String url, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(server.user());
        config.setPassword(server.password());
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(2); // most tests need few, and each that nobody uses is a process of PostgreSQL's
        return config;
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

    /**
     * What the transactions of new sessions have by default; those of before are gone. Only for a database of its own.
     */
    void isolation(String level) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("ALTER DATABASE " + connection.getCatalog() + " SET default_transaction_isolation = '"
                    + level + "'");
        }
        dataSource.getHikariPoolMXBean().softEvictConnections();
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

    List<String> texts(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql.replaceAll("\\{(\\w+)}", schema + ".$1"))) {
            List<String> texts = new ArrayList<>();
            while (row.next()) {
                texts.add(row.getString(1));
            }
            return texts;
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
        drop.run();
    }
}
