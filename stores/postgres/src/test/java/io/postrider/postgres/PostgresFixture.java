package io.postrider.postgres;

import io.postrider.spi.Store;
import io.postrider.tck.StoreFixture;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A schema with small segments; other nodes and other processes are further stores on it. */
final class PostgresFixture implements StoreFixture<Connection> {
    private final TestDatabase database = TestDatabase.prepared();
    private final List<Connection> open = new ArrayList<>();

    @Override
    public Store<Connection> open() {
        Store<Connection> store = database.store();
        try {
            database.execute("CREATE TABLE {effect} (name text NOT NULL)");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return store;
    }

    @Override
    public Store<Connection> another() {
        return database.store();
    }

    @Override
    public Store<Connection> elsewhere() {
        return database.store();
    }

    @Override
    public Store<Connection> reopen() {
        open.forEach(this::rollback);
        open.clear();
        return database.store();
    }

    @Override
    public Connection begin() {
        Connection connection = database.begin();
        open.add(connection);
        return connection;
    }

    @Override
    public void commit(Connection transaction) {
        try (transaction) {
            transaction.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void rollback(Connection transaction) {
        try (transaction) {
            if (!transaction.isClosed()) {
                transaction.rollback();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void effect(Connection transaction, String name) throws SQLException {
        try (var insert = transaction.prepareStatement("INSERT INTO " + database.schema() + ".effect VALUES (?)")) {
            insert.setString(1, name);
            insert.executeUpdate();
        }
    }

    @Override
    public List<String> effects() {
        List<String> effects = new ArrayList<>();
        try (Connection connection = database.dataSource().getConnection();
                var select = connection.createStatement();
                ResultSet row = select.executeQuery("SELECT name FROM " + database.schema() + ".effect")) {
            while (row.next()) {
                effects.add(row.getString(1));
            }
            return effects;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int segmentEvents() {
        return (int) database.config().segmentSize();
    }

    @Override
    public void close() {
        open.forEach(this::rollback);
        database.close();
    }
}
