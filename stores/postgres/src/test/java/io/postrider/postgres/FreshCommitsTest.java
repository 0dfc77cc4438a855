package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.policy.Start;
import io.postrider.store.Append;
import io.postrider.store.Claim;
import io.postrider.store.Cursor;
import io.postrider.store.Ownership;
import io.postrider.store.Page;
import io.postrider.store.Park;
import io.postrider.store.snapshot.FreshCommits;
import io.postrider.store.snapshot.FreshCommits.Commit;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Each condition under which a look wakes no lane is needed: a lane that has not read a commit is woken, and with that
 * condition taken away it is left asleep.
 */
class FreshCommitsTest {
    private static final String KEY = "k";
    private static final int MANY = FreshCommits.FEW + 1;

    private final TestDatabase database = new TestDatabase();
    private PostgresStore store;
    private Claim.ClaimedLane lane;
    /** The lane's, and the one of the look. */
    private Cursor cursor;

    private Cursor watched;

    @BeforeEach
    void claimTheLaneOfTheKey() {
        store = database.store();
        store.subscriptions().register("reader", Start.beginning(), "");
        lane = store
                .claim()
                .claim(
                        new Claim.Claimant("node", "reader", "", Park.View.of(Park.Wanted.WAITING_AND_DEAD)),
                        List.of(),
                        store.lanes())
                .stream()
                .filter(claimed -> claimed.ownership().lane().equals(number()))
                .findFirst()
                .orElseThrow();
        cursor = lane.cursor();
        watched = store.watch().now();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_lane_that_has_read_them_is_left_asleep() throws SQLException {
        committed(FreshCommits.FEW);
        read(1_000);
        assertThat(isRead(look(), UnaryOperator.identity())).isTrue();
    }

    @Test
    void the_position_tells_what_lies_behind_the_end_of_a_page() throws SQLException {
        committed(2);
        read(1);
        assertTaken(look(), commits -> mapped(commits, commit -> new Commit(0, commit.xid())));
    }

    @Test
    void the_xid_tells_what_committed_after_the_lane_came_past_it() throws SQLException {
        try (Connection slow = database.begin()) {
            append(slow);
            committed(1);
            read(1_000);
            slow.commit();
        }
        assertTaken(look(), commits -> mapped(commits, commit -> new Commit(commit.position(), 0)));
    }

    @Test
    void that_there_are_more_tells_of_those_that_are_not_named() throws SQLException {
        committed(MANY);
        read(FreshCommits.FEW);
        assertTaken(look(), FreshCommitsTest::complete);
    }

    @Test
    void late_commits_wake_always() throws SQLException {
        try (Connection slow = database.begin()) {
            append(slow);
            committed(1);
            look();
            read(1_000);
            slow.commit();
        }
        assertTaken(look(), FreshCommitsTest::complete);
    }

    /** Beside fresh ones that the lane has read. */
    @Test
    void late_commits_wake_also_beside_others() throws SQLException {
        try (Connection slow = database.begin()) {
            append(slow);
            committed(1);
            look();
            committed(1);
            read(1_000);
            slow.commit();
        }
        assertTaken(look(), FreshCommitsTest::complete);
    }

    @Test
    void the_incarnation_tells_positions_that_were_drawn_again() throws SQLException {
        committed(1);
        read(1_000);
        FreshCommits commits = look();
        Ownership now = lane.ownership();
        Ownership before = new Ownership(now.subscription(), now.lane(), now.epoch(), "another");
        assertThat(commits.areRead(before, cursor)).isFalse();
        assertThat(new FreshCommits("another", commits.commits(), true).areRead(before, cursor))
                .isTrue();
    }

    /** The lane is woken; with a part taken away it would not be, although there is something to read. */
    private void assertTaken(FreshCommits commits, UnaryOperator<FreshCommits> away) {
        assertThat(isRead(commits, UnaryOperator.identity())).isFalse();
        assertThat(isRead(commits, away)).isTrue();
        assertThat(read(1_000)).isPositive();
    }

    private boolean isRead(FreshCommits commits, UnaryOperator<FreshCommits> mutation) {
        return mutation.apply(commits).areRead(lane.ownership(), cursor);
    }

    private static FreshCommits mapped(FreshCommits commits, UnaryOperator<Commit> mutation) {
        return new FreshCommits(
                commits.incarnation(), commits.commits().stream().map(mutation).toList(), commits.complete());
    }

    private static FreshCommits complete(FreshCommits commits) {
        return new FreshCommits(commits.incarnation(), commits.commits(), true);
    }

    private FreshCommits look() {
        var news = store.watch().watch(watched);
        watched = news.cursor();
        return (FreshCommits) Objects.requireNonNull(news.lanes().get(number()));
    }

    private int read(int limit) {
        Page page = store.claim().read(lane.ownership(), cursor, limit, 1 << 20);
        cursor = page.after(page.events().size());
        return page.events().size();
    }

    private void committed(int events) throws SQLException {
        try (Connection connection = database.begin()) {
            for (int i = 0; i < events; i++) {
                append(connection);
            }
            connection.commit();
        }
    }

    private void append(Connection connection) {
        EventId id = new EventId(UUID.randomUUID());
        store.append().append(connection, List.of(new Append.Entry(id, "type", KEY, "{}", Headers.NONE, null)));
    }

    private Lane number() {
        return Lane.of(KEY, new EventId(UUID.randomUUID()), store.lanes());
    }
}
