package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.Cursor;
import io.postrider.store.Page;
import io.postrider.store.Park;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node takes a lane whose cursor is in a segment that the node has not heard of yet. */
class TakenOverReadTest {
    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void an_event_that_commits_late_in_a_segment_that_is_new_to_a_node_is_read_by_it() throws SQLException {
        store.subscriptions().register("wallet", Start.beginning(), "*");
        Claim.ClaimedLane lane = claim();
        PostgresStore other = PostgresStore.of(database.dataSource(), database.config());
        other.claim().read(lane.ownership(), lane.cursor(), 10, 1_000_000);
        goOn();
        try (Connection late = database.begin()) {
            late.createStatement().execute("SELECT " + database.schema() + ".append('paid', '{}', key => 'ann')");
            database.execute("SELECT {append}('paid', '{}', key => 'ann')");
            Cursor cursor = readAll(lane);
            late.commit();
            Page page = other.claim().read(lane.ownership(), cursor, 1_000, 1_000_000);
            assertThat(page.events()).as("late events").hasSize(1);
        }
    }

    private Claim.ClaimedLane claim() {
        Lane lane = Lane.of("ann", new EventId(UUID.randomUUID()), Lane.COUNT_DEFAULT);
        return store
                .claim()
                .claim(
                        new Claim.Claimant("node", "wallet", "*", Park.View.of(Park.Wanted.WAITING_AND_DEAD)),
                        List.of(),
                        Lane.COUNT_DEFAULT)
                .stream()
                .filter(each -> each.ownership().lane().equals(lane))
                .findAny()
                .orElseThrow();
    }

    /** Until the log draws positions of the next segment. */
    private void goOn() throws SQLException {
        store.prune().prune(Duration.ofDays(1));
        database.execute("SELECT count({append}('paid', '{}', key => 'ann')) FROM generate_series(1, 120)");
        store.prune().prune(Duration.ofDays(1));
        assertThat(store.watch().now().position()).isGreaterThanOrEqualTo(Segments.WIDTH - 1);
    }

    private Cursor readAll(Claim.ClaimedLane lane) {
        Cursor cursor = lane.cursor();
        Page page;
        do {
            page = store.claim().read(lane.ownership(), cursor, 1_000, 1_000_000);
            cursor = page.after(page.events().size());
        } while (!page.events().isEmpty());
        assertThat(cursor.position()).isGreaterThan(Segments.WIDTH);
        return cursor;
    }
}
