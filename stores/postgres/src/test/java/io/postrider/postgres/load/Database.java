package io.postrider.postgres.load;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.embedded.EmbeddedPostgres;
import java.util.Map;
import java.util.Objects;

/** How to reach a server: from this process, or from one that inherits it in its environment. */
record Database(String url, String user, String password) {
    private static final String URL = "LOAD_URL";
    private static final String USER = "LOAD_USER";
    private static final String PASSWORD = "LOAD_PASSWORD";

    static Database of(EmbeddedPostgres server) {
        return new Database(server.jdbcUrl(), server.user(), server.password());
    }

    static Database inherited() {
        return new Database(variable(URL), variable(USER), variable(PASSWORD));
    }

    Map<String, String> environment() {
        return Map.of(URL, url, USER, user, PASSWORD, password);
    }

    HikariDataSource pool(int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(size);
        return new HikariDataSource(config);
    }

    private static String variable(String name) {
        return Objects.requireNonNull(System.getenv(name), name + " is not set");
    }
}
