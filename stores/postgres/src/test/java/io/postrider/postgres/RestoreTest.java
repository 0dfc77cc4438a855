package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.operate.Delivery;
import io.postrider.policy.Start;
import io.postrider.store.Append;
import io.postrider.store.Claim;
import io.postrider.store.Cursor;
import io.postrider.store.Page;
import io.postrider.store.Park;
import io.postrider.store.Settlement;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RestoreTest {
    private static final String KEY = "k";

    @Test
    void in_another_cluster_what_had_committed_late_is_parked_and_cursors_go_on_behind_it() throws SQLException {
        try (TestDatabase database = new TestDatabase()) {
            PostgresStore store = database.store();
            store.subscriptions().register("reader", Start.beginning(), "");
            Claim.ClaimedLane lane = claim(store);
            try (Connection late = database.begin();
                    Connection early = database.begin()) {
                append(store, late, "late");
                append(store, early, "early");
                early.commit();
                settleWhatIsThere(store, lane);
                late.commit();
            }
            database.execute("UPDATE {cluster} SET system_identifier = system_identifier - 1");

            Claim.ClaimedLane rebased = claim(database.store());

            assertThat(rebased.deliveries()).extracting(Delivery::type).containsExactly("late");
            assertThat(rebased.counts().parked()).isEqualTo(1);
            assertThat(rebased.cursor().floor()).isEqualTo(rebased.cursor().position());
            assertThat(store.claim()
                            .read(rebased.ownership(), rebased.cursor(), 10, 1 << 20)
                            .events())
                    .isEmpty();
        }
    }

    @Test
    void in_the_same_cluster_nothing_is_rebased() throws SQLException {
        try (TestDatabase database = new TestDatabase()) {
            PostgresStore store = database.store();
            store.subscriptions().register("reader", Start.beginning(), "");
            long before = database.number("SELECT count(*) FROM {settlement}");

            database.store();

            assertThat(database.number("SELECT count(*) FROM {settlement}")).isEqualTo(before);
        }
    }

    @Test
    void a_floor_is_that_of_the_newest_settlement_although_the_first_one_is_still_there() throws SQLException {
        try (TestDatabase database = new TestDatabase()) {
            Jdbc jdbc = new Jdbc(database.dataSource(), database.schema());
            PostgresStore store = database.store();
            assertThat(jdbc.<Long>autocommit(connection -> Floors.lowest(jdbc, connection)))
                    .isZero();
            store.subscriptions().register("reader", Start.beginning(), "");
            database.execute("""
                    INSERT INTO {settlement} (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                        delivered, skipped, parked, dead, expired, discarded)
                    SELECT subscription, lane, epoch, 1, 90, '1:1:', '1', 40 + lane, 0, 0, 0, 0, 0, 0 FROM {lane}
                    """);
            assertThat(jdbc.<Long>autocommit(connection -> Floors.lowest(jdbc, connection)))
                    .isEqualTo(40);
            assertThat(jdbc.<Long>autocommit(connection -> Floors.lowest(jdbc, connection, "reader")))
                    .isEqualTo(40);
        }
    }

    private static Claim.ClaimedLane claim(PostgresStore store) {
        Lane number = Lane.of(KEY, new EventId(UUID.randomUUID()), Lane.COUNT_DEFAULT);
        return store
                .claim()
                .claim(
                        new Claim.Claimant("node", "reader", "", Park.View.of(Park.Wanted.WAITING_AND_DEAD)),
                        List.of(),
                        Lane.COUNT_DEFAULT)
                .stream()
                .filter(claimed -> claimed.ownership().lane().equals(number))
                .findFirst()
                .orElseThrow();
    }

    private static void settleWhatIsThere(PostgresStore store, Claim.ClaimedLane lane) {
        Page page = store.claim().read(lane.ownership(), lane.cursor(), 10, 1 << 20);
        Cursor next = page.after(page.events().size());
        Settlement settlement =
                new Settlement(lane.ownership(), lane.settlement() + 1, next, lane.counts(), List.of(), List.of());
        assertThat(store.settle().settle(settlement)).isTrue();
    }

    private static void append(PostgresStore store, Connection connection, String type) {
        EventId id = new EventId(UUID.randomUUID());
        store.append().append(connection, List.of(new Append.Entry(id, type, KEY, "{}", Headers.NONE, null)));
    }
}
