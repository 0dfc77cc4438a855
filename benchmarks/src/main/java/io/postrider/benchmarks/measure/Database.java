package io.postrider.benchmarks.measure;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;

/**
 * The one PostgreSQL of a run: a throw-away one, or the one {@value #URL_VARIABLE} names, whose schemas
 * {@code postrider} and {@code bench} are dropped. Refuses one that is not durable.
 */
public final class Database implements AutoCloseable {
    static final String URL_VARIABLE = "POSTRIDER_BENCH_JDBC_URL";

    private static final String USER_VARIABLE = "POSTRIDER_BENCH_JDBC_USER";
    private static final String PASSWORD_VARIABLE = "POSTRIDER_BENCH_JDBC_PASSWORD";

    /** Durability stays as PostgreSQL has it. No checkpoint falls into a round: drains ask for one before. */
    private static final Map<String, String> SETTINGS = Map.of(
            "max_connections", "200",
            "shared_buffers", "1GB",
            "max_wal_size", "8GB",
            "checkpoint_timeout", "30min");

    private static final List<String> DURABILITY = List.of("fsync", "synchronous_commit", "full_page_writes");
    private static final List<String> TOLD = List.of(
            "fsync", "synchronous_commit", "full_page_writes", "shared_buffers", "max_wal_size", "checkpoint_timeout");

    private final String url;
    private final String user;
    private final String password;
    private final Runnable afterClose;

    private Database(String url, String user, String password, Runnable afterClose) {
        this.url = url;
        this.user = user;
        this.password = password;
        this.afterClose = afterClose;
    }

    public static Database open() throws SQLException {
        Database database = connect();
        try {
            database.requireDurability();
            database.clear();
            return database;
        } catch (SQLException | RuntimeException e) {
            database.close();
            throw e;
        }
    }

    /** Every scenario begins with nothing of what others left. */
    public void clear() throws SQLException {
        execute(
                "DROP SCHEMA IF EXISTS postrider CASCADE",
                "DROP SCHEMA IF EXISTS bench CASCADE",
                "CREATE SCHEMA bench");
    }

    private static Database connect() {
        if (System.getenv(URL_VARIABLE) != null) {
            return inherited();
        }
        EmbeddedPostgres server = EmbeddedPostgres.temporary(SETTINGS);
        return new Database(server.jdbcUrl(), server.user(), server.password(), server::close);
    }

    /** The one that the environment names, as a node's process of ours finds it. */
    public static Database inherited() {
        Map<String, String> environment = System.getenv();
        return new Database(
                Objects.requireNonNull(environment.get(URL_VARIABLE), URL_VARIABLE),
                environment.getOrDefault(USER_VARIABLE, ""),
                environment.getOrDefault(PASSWORD_VARIABLE, ""),
                () -> {});
    }

    /** What a process needs to find it. */
    public Map<String, String> environment() {
        return Map.of(URL_VARIABLE, url, USER_VARIABLE, user, PASSWORD_VARIABLE, password);
    }

    /** Connections whose unqualified names are in the schema {@code bench}. */
    public HikariDataSource pool(int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        if (!user.isEmpty()) {
            config.setUsername(user);
            config.setPassword(password);
        }
        config.setSchema("bench");
        config.setMaximumPoolSize(connections);
        return new HikariDataSource(config);
    }

    public void execute(String... statements) throws SQLException {
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Leaves nothing to do from before: what is measured next pays for itself only. */
    public void settleDown() throws SQLException {
        execute("VACUUM (ANALYZE)", "CHECKPOINT");
    }

    /** A transaction whose snapshot keeps everything that dies from now on. Rolled back by whoever closes it. */
    public Connection heldSnapshot() throws SQLException {
        Connection holder = connection();
        holder.setAutoCommit(false);
        holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = holder.createStatement()) {
            statement.execute("SELECT 1");
        }
        return holder;
    }

    public long walBytes() throws SQLException {
        return Long.parseLong(value("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"));
    }

    /** In tables whose qualified names are like one of these. ANALYZE counts what small tables have exactly. */
    public long deadTuples(List<String> patterns) throws SQLException {
        execute("ANALYZE");
        long dead = 0;
        for (String pattern : patterns) {
            dead += Long.parseLong(value("SELECT coalesce(sum(n_dead_tup), 0) FROM pg_stat_user_tables"
                    + " WHERE schemaname || '.' || relname LIKE '" + pattern + "'"));
        }
        return dead;
    }

    public long count(String table) throws SQLException {
        return Long.parseLong(value("SELECT count(*) FROM " + table));
    }

    public String describe() throws SQLException {
        StringJoiner described = new StringJoiner(" ", "PostgreSQL " + value("SHOW server_version") + ", ", "");
        for (String setting : TOLD) {
            described.add(setting + "=" + value("SHOW " + setting));
        }
        return described.toString();
    }

    private void requireDurability() throws SQLException {
        for (String setting : DURABILITY) {
            if (!value("SHOW " + setting).equals("on")) {
                throw new IllegalStateException(setting + " is not on: figures without durability do not count");
            }
        }
    }

    public String value(String query) throws SQLException {
        try (Connection connection = connection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    public Connection connection() throws SQLException {
        return user.isEmpty() ? DriverManager.getConnection(url) : DriverManager.getConnection(url, user, password);
    }

    @Override
    public void close() {
        afterClose.run();
    }
}
