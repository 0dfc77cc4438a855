package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Lane;
import io.postrider.operate.Counts;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.Park;
import io.postrider.store.Settlement;
import io.postrider.store.snapshot.Snapshot;
import io.postrider.store.snapshot.SnapshotCursor;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A cursor is several columns of a settlement. */
class CursorPartsTest {
    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_cursor_is_kept_in_all_its_parts() {
        store.subscriptions().register("wallet", Start.beginning(), "*");
        Claim.ClaimedLane lane = claim("node");
        SnapshotCursor cursor = new SnapshotCursor(
                90,
                Snapshot.parse("50:70:50,53,69"),
                80,
                30,
                new SnapshotCursor.Mark(75, 60),
                new SnapshotCursor.Late(44, Snapshot.parse("53:71:53")));
        Counts counts = new Counts(1, 2, 3, 4, 5, 6);
        Settlement settlement =
                new Settlement(lane.ownership(), lane.settlement() + 1, cursor, counts, List.of(), List.of());
        assertThat(store.settle().settle(settlement)).isTrue();
        store.claim().release(List.of(lane.ownership()));
        Claim.ClaimedLane next = claim("other");
        assertThat(next.cursor()).isEqualTo(cursor);
        assertThat(next.counts()).isEqualTo(counts);
        assertThat(next.settlement()).isEqualTo(settlement.number());
    }

    private Claim.ClaimedLane claim(String node) {
        return store
                .claim()
                .claim(
                        new Claim.Claimant(node, "wallet", "*", Park.View.of(Park.Wanted.WAITING_AND_DEAD)),
                        List.of(),
                        store.lanes())
                .stream()
                .filter(lane -> lane.ownership().lane().equals(new Lane(0)))
                .findAny()
                .orElseThrow();
    }
}
