package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.store.Append.Entry;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a refused event has in it reaches neither the error nor its causes, and so no log either. */
class SecretTest {
    private static final String SECRET = "s3cr3t";

    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void an_append_of_text_that_is_not_json_does_not_show_it() throws SQLException {
        assertTold(failureOf(entry("{\"card\": \"" + SECRET + "\"")));
        assertTold(failureOf(entry("{}"), entry("{\"card\": " + SECRET + "}")));
    }

    @Test
    void a_row_that_a_table_refuses_is_not_shown() throws SQLException {
        database.execute("ALTER TABLE {event_log} ADD CONSTRAINT no CHECK (tenant IS NOT NULL)");
        assertTold(failureOf(entry("{\"card\": \"" + SECRET + "\"}")));
        assertTold(failureOf(entry("{\"card\": \"" + SECRET + "\"}"), entry("{}")));
    }

    @Test
    void an_error_that_is_the_stores_shows_no_row_either() throws SQLException {
        database.execute("""
                CREATE FUNCTION {fails}() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE internal_error USING MESSAGE = 'broken', DETAIL = NEW.payload; END $$
                """);
        database.execute("CREATE TRIGGER fails BEFORE INSERT ON {event_log_1} FOR EACH ROW EXECUTE FUNCTION {fails}()");
        assertTold(failureOf(entry("{\"card\": \"" + SECRET + "\"}")));
    }

    private Throwable failureOf(Entry... entries) throws SQLException {
        try (Connection connection = database.begin()) {
            Throwable failure = catchThrowable(() -> store.append().append(connection, List.of(entries)));
            connection.rollback();
            return failure;
        }
    }

    private static void assertTold(Throwable failure) {
        assertThat(failure).isNotNull();
        StringWriter all = new StringWriter();
        failure.printStackTrace(new PrintWriter(all));
        assertThat(all.toString()).doesNotContain(SECRET).contains("SQLException");
    }

    private static Entry entry(String payload) {
        return new Entry(new EventId(UUID.randomUUID()), "secret", null, payload, Headers.NONE, null);
    }
}
