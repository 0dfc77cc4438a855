package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Lane;
import io.postrider.operate.Counts;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.Park;
import io.postrider.store.Settlement;
import io.postrider.store.Subscriptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Registrations that meet removals, settlements and each other halfway. */
class RegisterRaceTest {
    private static final String NAME = "letters";

    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();
    private final ExecutorService other = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        other.shutdownNow();
        database.close();
    }

    @Test
    void one_that_meets_a_removal_creates_the_subscription_with_its_lanes() throws SQLException {
        store.subscriptions().register(NAME, Start.beginning(), "**");
        CompletableFuture<Subscriptions.Registered> registered;
        try (Connection removal = database.begin()) {
            removal.createStatement().execute(sql("DELETE FROM {subscription} WHERE name = 'letters'"));
            removal.createStatement().execute(sql("DELETE FROM {settlement} WHERE subscription = 'letters'"));
            registered = started(() -> store.subscriptions().register(NAME, Start.beginning(), "**"));
            awaitWaiting(1);
            removal.commit();
        }
        assertThat(registered.join().created()).isTrue();
        assertThat(claim("**")).hasSize(Lane.COUNT_DEFAULT);
    }

    @Test
    void two_of_a_new_name_create_it_once() throws SQLException {
        CompletableFuture<Subscriptions.Registered> registered;
        try (Connection first = database.begin()) {
            first.createStatement()
                    .execute(sql("INSERT INTO {subscription} (name, filter, began, began_snapshot, began_floor)"
                            + " VALUES ('letters', 'a', 0, '1:1:', 0)"));
            registered = started(() -> store.subscriptions().register(NAME, Start.beginning(), "b"));
            awaitWaiting(1);
            first.commit();
        }
        assertThat(registered.join().created()).isFalse();
        assertThat(registered.join().replaced()).isEqualTo("a");
    }

    @Test
    void a_change_waits_for_a_settlement_that_is_under_way_and_remembers_it() throws SQLException {
        store.subscriptions().register(NAME, Start.beginning(), "a");
        database.execute("SELECT {append}('b', '{}', key => 'ann')");
        List<Claim.ClaimedLane> lanes = claim("a");
        CompletableFuture<Subscriptions.Registered> changed;
        try (Connection settling = database.begin()) {
            for (Claim.ClaimedLane lane : lanes) {
                var page = store.claim().read(lane.ownership(), lane.cursor(), 10, 1 << 20);
                Settlement settlement = new Settlement(
                        lane.ownership(),
                        lane.settlement() + 1,
                        page.after(page.events().size()),
                        Counts.NONE,
                        List.of(),
                        List.of());
                settleOpen(settling, settlement);
            }
            changed = started(() -> store.subscriptions().register(NAME, Start.beginning(), "b"));
            awaitWaiting(1);
            settling.commit();
        }
        assertThat(changed.join().replaced()).isEqualTo("a");
        assertThat(database.number("SELECT count(*) FROM {event_log} o WHERE {taken}('letters', o.lane, o.position,"
                        + " o.xid, o.type)"))
                .isZero();
        assertThat(database.number("SELECT min(number) FROM {past_filter}")).isEqualTo(1);
    }

    /** What a settle does until it commits: a lock of the lane, and its settlement. */
    private void settleOpen(Connection settling, Settlement settlement) throws SQLException {
        try (var lock = settling.prepareStatement(
                        sql("SELECT FROM {lane} WHERE subscription = ? AND lane = ? AND epoch = ? FOR SHARE"));
                var insert = settling.prepareStatement(sql("""
                        INSERT INTO {settlement} (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                            mark_bound, mark_position, late_from, late_pinned,
                            delivered, skipped, parked, dead, expired, discarded)
                        VALUES ('letters', %d, %d, ?, ?, ?::pg_snapshot, ?::xid8, ?, ?::xid8, ?, ?, ?::pg_snapshot,
                            0, 1, 0, 0, 0, 0)
                        """.formatted(
                                settlement.ownership().lane().number(),
                                settlement.ownership().epoch())))) {
            lock.setString(1, NAME);
            lock.setInt(2, settlement.ownership().lane().number());
            lock.setLong(3, settlement.ownership().epoch());
            lock.execute();
            PostgresSettle.bindCursor(insert, 1, settlement.number(), settlement.cursor());
            insert.executeUpdate();
        }
    }

    private List<Claim.ClaimedLane> claim(String filter) {
        store.renew().renew("node", Duration.ofHours(1), Set.of(NAME), Map.of(NAME, filter));
        return store.claim()
                .claim(
                        new Claim.Claimant("node", NAME, filter, Park.View.of(Park.Wanted.WAITING)),
                        List.of(),
                        Lane.COUNT_DEFAULT);
    }

    private <R> CompletableFuture<R> started(Supplier<R> call) {
        return CompletableFuture.supplyAsync(call, other);
    }

    private void awaitWaiting(int sessions) {
        Eventually.holds(
                Duration.ofSeconds(60),
                () -> assertThat(database.number("""
                SELECT count(*) FROM pg_stat_activity
                WHERE wait_event_type = 'Lock' AND query LIKE '%%%s.%%'
                """.formatted(database.schema())))
                        .isEqualTo(sessions));
    }

    private String sql(String text) {
        return text.replaceAll("\\{(\\w+)}", database.schema() + ".$1");
    }
}
