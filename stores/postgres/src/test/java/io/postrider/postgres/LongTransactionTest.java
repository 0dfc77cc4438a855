package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.store.Append.Entry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A transaction goes on appending, however many segments the log has passed since it began. */
class LongTransactionTest {
    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void an_append_finds_segments_that_were_made_while_its_transaction_was_open() throws SQLException {
        store.prune().prune(Duration.ofDays(1)); // segments ahead, as any log has them
        try (Connection open = database.begin()) {
            // Often enough for plans that are kept: a statement that is planned looks around by itself.
            for (int i = 0; i < 10; i++) {
                store.append().append(open, List.of(entry()));
                store.append().append(open, List.of(entry(), entry()));
                sql(open, "SELECT " + database.schema() + ".append('long', '{}')");
                sql(open, "INSERT INTO " + database.schema() + ".outbox (type, payload) VALUES ('long', '{}')");
            }
            passAllSegments();
            store.append().append(open, List.of(entry()));
            passAllSegments();
            store.append().append(open, List.of(entry(), entry(), entry()));
            passAllSegments();
            sql(open, "SELECT " + database.schema() + ".append('long', '{}')");
            passAllSegments();
            sql(open, "INSERT INTO " + database.schema() + ".outbox (type, payload) VALUES ('long', '{}')");
            open.commit();
        }
        assertThat(database.number("SELECT count(*) FROM {event_log} WHERE type = 'long'"))
                .isEqualTo(56);
        assertThat(database.number("SELECT count(*) FROM {event_log_rest}")).isZero();
    }

    /** As other writers and a node do in an hour: all segments of now are behind, others have been made ahead. */
    private void passAllSegments() throws SQLException {
        for (int i = 0; i < 8; i++) {
            database.execute("SELECT setval('{event_position}', nextval('{event_position}') + 99)");
            store.prune().prune(Duration.ofDays(1));
        }
    }

    private static Entry entry() {
        return new Entry(new EventId(UUID.randomUUID()), "long", "key", "{}", Headers.NONE, null);
    }

    private static void sql(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
