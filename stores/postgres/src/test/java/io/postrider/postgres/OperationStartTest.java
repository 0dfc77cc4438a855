package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventFilter;
import io.postrider.operate.By;
import io.postrider.operate.Operation;
import io.postrider.policy.Start;
import io.postrider.store.Chunks;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An operation is about exactly what it counted when it started. */
class OperationStartTest {
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final TestDatabase database = new TestDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void what_died_between_the_statement_s_time_and_its_snapshot_is_meant_too() throws SQLException {
        PostgresStore store = database.store();
        store.subscriptions().register("letters", Start.beginning(), "");
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, status, attempt, due_at, suspect,
                    changed_at)
                VALUES ('letters', 0, 1, gen_random_uuid(), 'paid', 'dead', 1, now(), false,
                    now() + interval '1 second')
                """);
        Operation started = store.operations()
                .start(
                        Operation.Kind.REPLAY,
                        Operation.Target.dead("letters"),
                        Operation.Pace.UNLIMITED,
                        new By("ann", ""))
                .orElseThrow();
        Chunks.HeldOperation held =
                store.chunks().take("node", Set.of(), LEASE, 1).get(0);
        assertThat(started.progress().total()).isEqualTo(1);
        assertThat(store.chunks().move(held, new Chunks.Room(10, 1_000), LEASE))
                .contains(new Chunks.Moved(1, 1, true, false, true));
    }

    @Test
    void an_event_whose_headers_cannot_be_read_stops_no_operation() throws SQLException {
        PostgresStore store = database.store();
        store.subscriptions().register("letters", Start.beginning(), "");
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, status, attempt, due_at, suspect,
                    payload, headers, appended_at)
                SELECT 'letters', 0, n, gen_random_uuid(), 'paid', 'dead', 1, now(), false, '{}', headers, now()
                FROM (VALUES (1, '{"userId": "ann"}'::json), (2, '{"note": "\\u0000", "userId": "ann"}'))
                    AS s (n, headers)
                """);
        EventFilter ofAnn = EventFilter.ALL.userId("ann");
        assertThat(store.operations()
                        .preview(Operation.Target.dead("letters").filter(ofAnn), 10)
                        .count())
                .isEqualTo(1);
    }
}
