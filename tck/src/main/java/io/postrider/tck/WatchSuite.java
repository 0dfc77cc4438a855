package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Lane;
import io.postrider.store.Cursor;
import io.postrider.store.Ownership;
import io.postrider.store.Watch;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Watch: which lanes have had a commit. */
public abstract class WatchSuite<T> extends StoreCase<T> {

    @Test
    void lanes_with_commits_are_found_once() {
        Watcher watcher = new Watcher();
        committed("ann", "a");
        committed(keyApartFrom("ann"), "b");
        assertThat(watcher.look()).containsExactlyInAnyOrder(lane("ann"), lane(keyApartFrom("ann")));
        assertThat(watcher.look()).isEmpty();
        committed("ann", "c");
        assertThat(watcher.look()).containsExactly(lane("ann"));
    }

    @Test
    void what_was_committed_before_the_watch_began_is_no_news() {
        committed(keyApartFrom("ann"), "before");
        Watcher watcher = new Watcher();
        committed("ann", "a");
        assertThat(watcher.look()).containsExactly(lane("ann"));
    }

    @Test
    void what_was_open_when_the_watch_began_is_news_once_it_commits() {
        T open = fixture.begin();
        append(open, "ann", "a");
        committed(keyApartFrom("ann"), "b");
        Watcher watcher = new Watcher();
        assertThat(watcher.look()).isEmpty();
        fixture.commit(open);
        assertThat(watcher.look()).containsExactly(lane("ann"));
        assertThat(watcher.look()).isEmpty();
    }

    @Test
    void a_late_commit_is_news() {
        Watcher watcher = new Watcher();
        T slow = fixture.begin();
        append(slow, "ann", "late");
        committed(keyApartFrom("ann"), "early");
        assertThat(watcher.look()).containsExactly(lane(keyApartFrom("ann")));
        assertThat(watcher.look()).isEmpty();
        fixture.commit(slow);
        assertThat(watcher.look()).containsExactly(lane("ann"));
    }

    @Test
    void a_commit_of_a_transaction_beyond_the_latest_completed_one_is_news() {
        String other = keyApartFrom("ann");
        Watcher watcher = new Watcher();
        T first = fixture.begin();
        append(first, other, "first-1");
        T beyond = fixture.begin();
        append(beyond, "ann", "beyond");
        append(first, other, "first-2");
        fixture.commit(first);
        assertThat(watcher.look()).containsExactly(lane(other));
        fixture.commit(beyond);
        assertThat(watcher.look()).containsExactly(lane("ann"));
    }

    @Test
    void what_was_rolled_back_is_no_news() {
        Watcher watcher = new Watcher();
        T undone = fixture.begin();
        append(undone, keyApartFrom("ann"), "never");
        fixture.rollback(undone);
        committed("ann", "a");
        assertThat(watcher.look()).containsExactly(lane("ann"));
    }

    @Test
    void a_lane_that_was_handed_back_makes_its_subscription_unowned_until_someone_takes_it() {
        LaneReader reader = reader("ann");
        assertThat(unowned()).doesNotContain(SUBSCRIPTION);
        store.claim().release(List.of(reader.ownership()));
        assertThat(unowned()).contains(SUBSCRIPTION);
        renew(OTHER_NODE, LONG_LEASE);
        assertThat(claim(OTHER_NODE, 1)).hasSize(1);
        assertThat(unowned()).doesNotContain(SUBSCRIPTION);
    }

    @Test
    void lanes_of_a_node_that_left_make_their_subscription_unowned() {
        reader("ann");
        store.renew().leave(NODE);
        assertThat(unowned()).contains(SUBSCRIPTION);
    }

    // ---- whether a lane has read them -------------------------------------------------------------------------------

    @Test
    void commits_that_a_lane_has_read_meanwhile_are_read() {
        LaneReader reader = reader("ann");
        Watcher watcher = new Watcher();
        committed("ann", "a");
        committed("ann", "b");
        reader.drain();
        assertThat(watcher.commits("ann").areRead(reader.ownership(), reader.cursor()))
                .isTrue();
    }

    @Test
    void a_commit_behind_what_a_lane_has_read_is_not_read() {
        LaneReader reader = reader("ann");
        Watcher watcher = new Watcher();
        committed("ann", "a", "b");
        reader.next(1);
        assertThat(watcher.commits("ann").areRead(reader.ownership(), reader.cursor()))
                .isFalse();
    }

    @Test
    void a_commit_that_a_lane_came_past_before_it_was_visible_is_not_read() {
        LaneReader reader = reader("ann");
        Watcher watcher = new Watcher();
        T slow = fixture.begin();
        append(slow, "ann", "slow");
        committed("ann", "quick");
        reader.drain();
        fixture.commit(slow);
        assertThat(watcher.commits("ann").areRead(reader.ownership(), reader.cursor()))
                .isFalse();
    }

    @Test
    void a_late_commit_is_not_read() {
        LaneReader reader = reader("ann");
        Watcher watcher = new Watcher();
        T slow = fixture.begin();
        append(slow, "ann", "slow");
        committed(keyApartFrom("ann"), "quick");
        watcher.look();
        reader.drain();
        fixture.commit(slow);
        assertThat(watcher.commits("ann").areRead(reader.ownership(), reader.cursor()))
                .isFalse();
    }

    @Test
    void of_many_commits_none_that_a_lane_has_not_read_is_taken_for_read() {
        LaneReader reader = reader("ann");
        Watcher watcher = new Watcher();
        committed("ann", numbered("a", 100));
        Watch.Commits commits = watcher.commits("ann");
        for (int read = 0; read < 100; read++) {
            assertThat(commits.areRead(reader.ownership(), reader.cursor())).isFalse();
            reader.next(1);
        }
    }

    @Test
    void what_a_lane_has_read_in_another_life_of_the_store_is_not_read() {
        LaneReader reader = reader("ann");
        Watcher watcher = new Watcher();
        committed("ann", "a");
        reader.drain();
        Ownership now = reader.ownership();
        Ownership before = new Ownership(now.subscription(), now.lane(), now.epoch(), "before-" + now.incarnation());
        assertThat(watcher.commits("ann").areRead(before, reader.cursor())).isFalse();
    }

    private Set<String> unowned() {
        return store.watch().watch(store.watch().now()).unowned();
    }

    private static Lane lane(String key) {
        return Lane.of(key, drawId(), Lane.COUNT_DEFAULT);
    }

    private final class Watcher {
        private Cursor cursor = store.watch().now();

        Set<Lane> look() {
            return news().keySet();
        }

        /** What a look finds in the lane of this key, where there must be something. */
        Watch.Commits commits(String key) {
            return Objects.requireNonNull(news().get(lane(key)));
        }

        private Map<Lane, Watch.Commits> news() {
            Watch.News news = store.watch().watch(cursor);
            cursor = news.cursor();
            return news.lanes();
        }
    }
}
