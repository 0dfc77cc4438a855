package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.store.Append;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Segments are made while one statement appends so much that it reaches them. */
class AttachTest {
    private static final int EVENTS = 150;

    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();

    @BeforeEach
    void appendsAreSlow() throws Exception {
        database.execute("""
                CREATE FUNCTION {slowly}() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN PERFORM pg_sleep(0.01); RETURN NEW; END'
                """);
        database.execute(
                "CREATE TRIGGER slowly BEFORE INSERT ON {event_log_1} FOR EACH ROW EXECUTE FUNCTION {slowly}()");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void an_append_of_many_events_reaches_over_a_segment_that_is_made_meanwhile() throws Exception {
        assertReachesOver((connection, entries) -> store.append().append(connection, entries));
    }

    @Test
    void so_does_a_receive() throws Exception {
        assertReachesOver((connection, entries) -> store.receive().receive(connection, "shop", entries));
    }

    private interface Work {
        void run(Connection connection, List<Append.Entry> entries);
    }

    private void assertReachesOver(Work work) throws Exception {
        CompletableFuture<Void> appended = CompletableFuture.runAsync(() -> {
            try (Connection connection = database.begin()) {
                work.run(connection, entries());
                connection.commit();
            } catch (java.sql.SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        while (!appended.isDone()) {
            store.prune().prune(Duration.ofDays(1));
        }
        appended.join();
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(EVENTS);
    }

    private static List<Append.Entry> entries() {
        return IntStream.range(0, EVENTS)
                .mapToObj(number -> new Append.Entry(
                        new EventId(UUID.randomUUID()), "letter.sent", "ann", "{}", Headers.NONE, null))
                .toList();
    }
}
