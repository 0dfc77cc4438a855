package io.postrider.postgres;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A schema with an owner of its own, and roles that have no right on it yet. */
final class Roles implements AutoCloseable {
    private static final String PASSWORD = "secret";

    private final TestDatabase database;
    private final List<HikariDataSource> pools = new ArrayList<>();

    Roles(TestDatabase database) {
        this.database = database;
        try {
            for (String role : all()) {
                database.execute("CREATE ROLE " + role + " LOGIN PASSWORD '" + PASSWORD + "'");
            }
            database.execute("CREATE SCHEMA " + database.schema() + " AUTHORIZATION " + owner());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        PostgresStore.of(as(owner()), database.config());
    }

    private List<String> all() {
        return List.of(owner(), engine(), appender(), reader());
    }

    String owner() {
        return "owner_" + database.schema();
    }

    String engine() {
        return "engine_" + database.schema();
    }

    String appender() {
        return "appender_" + database.schema();
    }

    String reader() {
        return "reader_" + database.schema();
    }

    void grant(String function, String role) throws SQLException {
        execute(owner(), "SELECT {" + function + "}('" + role + "')");
    }

    DataSource pool(String role) {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(as(role));
        pools.add(pool);
        return pool;
    }

    PGSimpleDataSource as(String role) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(TestDatabase.server().jdbcUrl());
        dataSource.setUser(role);
        dataSource.setPassword(PASSWORD);
        return dataSource;
    }

    void execute(String role, String sql) throws SQLException {
        try (Connection connection = as(role).getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql.replaceAll("\\{(\\w+)}", database.schema() + ".$1"));
        }
    }

    @Override
    public void close() {
        pools.forEach(HikariDataSource::close);
        try {
            database.execute("DROP SCHEMA " + database.schema() + " CASCADE");
            for (String role : all()) {
                database.execute("DROP OWNED BY " + role + " CASCADE");
                database.execute("DROP ROLE " + role);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
