package io.postrider.chaos;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;

/** How to reach PostgreSQL on the loopback: from this process, or from one that inherits it in its environment. */
record Database(int port, String user, String password) {
    private static final String PORT = "CHAOS_PORT";
    private static final String USER = "CHAOS_USER";
    private static final String PASSWORD = "CHAOS_PASSWORD";
    private static final int CONNECT_SECONDS = 2;
    private static final Duration GIVE_UP = Duration.ofSeconds(2);
    private static final Duration VALIDATION = Duration.ofSeconds(1);

    static Database inherited() {
        return new Database(Integer.parseInt(variable(PORT)), variable(USER), variable(PASSWORD));
    }

    Map<String, String> environment() {
        return Map.of(PORT, Integer.toString(port), USER, user, PASSWORD, password);
    }

    /** The same server, through a wire. */
    Database port(int port) {
        return new Database(port, user, password);
    }

    /** A pool that notices within the silence that a connection is dead; its sessions carry the application's name. */
    HikariDataSource pool(String application, int size, Duration silence) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url());
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(GIVE_UP.toMillis());
        config.setValidationTimeout(VALIDATION.toMillis());
        config.addDataSourceProperty("ApplicationName", application);
        config.addDataSourceProperty("connectTimeout", Integer.toString(CONNECT_SECONDS));
        config.addDataSourceProperty("socketTimeout", Long.toString(silence.toSeconds()));
        return new HikariDataSource(config);
    }

    /** A session outside any pool. */
    Connection connect(String application) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("ApplicationName", application);
        properties.setProperty("connectTimeout", Integer.toString(CONNECT_SECONDS));
        return DriverManager.getConnection(url(), properties);
    }

    private String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    private static String variable(String name) {
        return Objects.requireNonNull(System.getenv(name), name + " is not set");
    }
}
