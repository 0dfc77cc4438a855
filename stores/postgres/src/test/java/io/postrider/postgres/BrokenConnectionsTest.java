package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A pool that has not noticed yet that PostgreSQL ended its sessions hands out dead connections. */
class BrokenConnectionsTest {
    private static final Duration LEASE = Duration.ofSeconds(10);

    private final TestDatabase database = new TestDatabase();
    private final Dying dying = new Dying();
    private PostgresStore store;

    @BeforeEach
    void createStore() {
        store = PostgresStore.of(dying, database.config());
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_renewal_gets_past_every_dead_connection_of_a_pool_without_a_pause() throws SQLException {
        dying.next = Jdbc.BROKEN_MAX - 1;
        assertThat(store.renew().renew("node", LEASE, Set.of()).kept()).isFalse();
        assertThat(dying.next).isZero();
        assertThat(database.number("SELECT count(*) FROM {node} WHERE id = 'node'"))
                .isEqualTo(1);
    }

    @Test
    void a_renewal_gives_up_when_every_connection_dies() {
        dying.next = Integer.MAX_VALUE;
        assertThatThrownBy(() -> store.renew().renew("node", LEASE, Set.of()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("57P01");
        assertThat(dying.next).isEqualTo(Integer.MAX_VALUE - Jdbc.BROKEN_MAX);
    }

    @Test
    void what_was_read_with_a_cursor_is_not_read_again_behind_the_back_of_the_engine() {
        dying.next = 1;
        assertThatThrownBy(() -> store.watch().now())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("57P01");
    }

    /** Its next connections are dead. */
    private static final class Dying extends PGSimpleDataSource {
        private static final long serialVersionUID = 1L;

        private int next;

        Dying() {
            setUrl(TestDatabase.server().jdbcUrl());
            setUser(TestDatabase.server().user());
            setPassword(TestDatabase.server().password());
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            if (next > 0) {
                next--;
                terminate(connection);
            }
            return connection;
        }

        /** The signal is there before anything that is sent to the session from now on. */
        private void terminate(Connection connection) throws SQLException {
            try (Connection other = super.getConnection();
                    PreparedStatement terminate = other.prepareStatement("SELECT pg_terminate_backend(?)")) {
                terminate.setInt(1, pid(connection));
                try (ResultSet row = terminate.executeQuery()) {
                    assertThat(row.next() && row.getBoolean(1)).isTrue();
                }
            }
        }

        private static int pid(Connection connection) throws SQLException {
            try (var statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
                row.next();
                return row.getInt(1);
            }
        }
    }
}
