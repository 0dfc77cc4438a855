package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Postrider;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A16 with a table of the application beside the log; all else it asks for is in {@code SeedSuite}. */
class SeedTest {
    private final TestDatabase database = new TestDatabase();
    private final Postrider<Connection> postrider = Postrider.on(database.store());

    @BeforeEach
    void createMessages() throws SQLException {
        database.execute("CREATE TABLE {messages} (text text)");
    }

    @AfterEach
    void close() {
        postrider.close();
        database.close();
    }

    @Test
    void a16_messages_and_outbox_are_written_in_one_transaction() throws SQLException {
        try (Connection connection = database.begin()) {
            writeBoth(connection);
            assertThat(messages()).isZero();
            assertThat(events()).isZero();
            connection.commit();
        }
        assertThat(messages()).isEqualTo(1);
        assertThat(events()).isEqualTo(1);
    }

    @Test
    void a16_a_rollback_leaves_neither_messages_nor_outbox() throws SQLException {
        try (Connection connection = database.begin()) {
            writeBoth(connection);
            connection.rollback();
        }
        assertThat(messages()).isZero();
        assertThat(events()).isZero();
    }

    private void writeBoth(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("INSERT INTO " + database.schema() + ".messages VALUES ('hello')");
        }
        postrider
                .outbox()
                .append(connection, Event.of("message.posted", "hello").key("chat-1"));
    }

    private long messages() throws SQLException {
        return database.number("SELECT count(*) FROM {messages}");
    }

    private long events() throws SQLException {
        return database.number("SELECT count(*) FROM {outbox}");
    }
}
