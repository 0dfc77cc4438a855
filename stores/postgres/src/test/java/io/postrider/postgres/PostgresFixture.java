package io.postrider.postgres;

import io.postrider.EventId;
import io.postrider.store.Store;
import io.postrider.tck.StoreFixture;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A schema with small segments; other nodes and other processes are further stores on it. */
final class PostgresFixture implements StoreFixture<Connection> {
    private final TestDatabase database = TestDatabase.prepared();
    private final List<Connection> open = new ArrayList<>();

    /** For a manager that begins transactions of its own. */
    DataSource dataSource() {
        return database.dataSource();
    }

    @Override
    public Store<Connection> open() {
        return prepared(database.store());
    }

    /** In place of the prepared schema, whose log has the default. */
    @Override
    public Store<Connection> open(int lanes) {
        PostgresStoreConfig config = database.config().lanes(lanes);
        execute("DROP SCHEMA " + database.schema() + " CASCADE");
        return prepared(PostgresStore.of(database.dataSource(), config));
    }

    private Store<Connection> prepared(Store<Connection> store) {
        try {
            database.execute("""
                    CREATE TABLE {effect} (name text NOT NULL);
                    CREATE TABLE {refused} (divisor int NOT NULL);
                    CREATE FUNCTION {divide}() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                        PERFORM 1 / NEW.divisor;
                        RETURN NULL;
                    END $$;
                    CREATE CONSTRAINT TRIGGER divided AFTER INSERT ON {refused} DEFERRABLE INITIALLY DEFERRED
                        FOR EACH ROW EXECUTE FUNCTION {divide}()
                    """);
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
    public void refusedAtCommit(Connection transaction) throws SQLException {
        try (var statement = transaction.createStatement()) {
            statement.executeUpdate("INSERT INTO " + database.schema() + ".refused VALUES (0)");
        }
    }

    @Override
    public void breakOff(Connection transaction) throws SQLException {
        try (var statement = transaction.createStatement()) {
            statement.execute("SELECT pg_terminate_backend(pg_backend_pid())");
        }
    }

    @Override
    public void refuseAtCommit(String text) {
        execute("""
                CREATE FUNCTION {refuse_%1$s}() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF strpos(NEW.payload::text, '%2$s') > 0 THEN
                        RAISE EXCEPTION 'the log takes no such event' USING ERRCODE = '22023';
                    END IF;
                    RETURN NULL;
                END $$;
                CREATE CONSTRAINT TRIGGER refuse_%1$s AFTER INSERT ON {event_log}
                    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION {refuse_%1$s}()
                """.formatted("at_commit_" + Integer.toHexString(text.hashCode()), text));
    }

    /** No application gets such a priority past the API; a row written by hand may have it. */
    @Override
    public void damage(EventId id) {
        execute("UPDATE {event_log} SET priority = 1000 WHERE id = '" + id.value() + "'");
    }

    @Override
    public void lose(EventId id) {
        execute("DELETE FROM {event_log} WHERE id = '" + id.value() + "'");
    }

    @Override
    public void refuseErrors(String text) {
        execute("ALTER TABLE {delivery} ADD CHECK (strpos(error, '" + text + "') = 0)");
    }

    private void execute(String sql) {
        try {
            database.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
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
