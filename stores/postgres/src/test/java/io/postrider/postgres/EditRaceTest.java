package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.operate.By;
import io.postrider.operate.Operate;
import io.postrider.policy.Start;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two edits under one id that have both looked for it, and found it free, before either is written. */
class EditRaceTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();
    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    @AfterEach
    void close() {
        threads.shutdownNow();
        database.close();
    }

    @Test
    void one_copy_is_appended_and_the_other_edit_refused() throws SQLException {
        fill();
        Operate.Edit edit = Operate.Edit.of(new EventId(UUID.randomUUID()));
        List<CompletableFuture<String>> edits;
        try (Connection holder = database.begin();
                var statement = holder.createStatement()) {
            statement.execute(
                    "LOCK TABLE " + database.schema() + ".audit IN SHARE MODE"); // lets looks pass, not writes
            edits = Stream.of(1, 2)
                    .map(position -> CompletableFuture.supplyAsync(() -> edit(new Position(position), edit), threads))
                    .toList();
            Eventually.holds(SOON, () -> assertThat(waiting()).isEqualTo(2));
        }
        assertThat(edits).extracting(CompletableFuture::join).containsExactlyInAnyOrder("DONE", "taken");
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM {delivery} WHERE status = 'dead'"))
                .isEqualTo(1);
    }

    private String edit(Position position, Operate.Edit edit) {
        try {
            return store.operate().edit("s", position, edit, new By("ann", "")).name();
        } catch (IllegalArgumentException e) {
            return Objects.equals(e.getMessage(), edit.taken().getMessage()) ? "taken" : e.toString();
        }
    }

    private long waiting() throws SQLException {
        return database.number("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '" + database.schema()
                + ".audit'::regclass");
    }

    private void fill() throws SQLException {
        store.subscriptions().register("s", Start.beginning(), "");
        database.execute("INSERT INTO {tally} (subscription, dead) VALUES ('s', 2)");
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, status, attempt, due_at, suspect,
                    payload, headers, appended_at)
                SELECT 's', n, n, gen_random_uuid(), 'paid', 'dead', 1, now(), false, '{}', '{}', now()
                FROM generate_series(1, 2) AS n
                """);
    }
}
