package io.postrider.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.policy.Start;
import io.postrider.store.Append;
import io.postrider.store.Claim;
import io.postrider.store.Park;
import io.postrider.store.snapshot.Snapshot;
import io.postrider.store.snapshot.SnapshotPage;
import io.postrider.store.snapshot.SnapshotRead;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What only the memory store has: transactions by hand, and a clock by hand. */
class MemoryTransactionTest {
    private static final Duration LEASE = Duration.ofSeconds(10);

    private Instant now = Instant.parse("2026-11-15T12:00:00Z");
    private final MemoryStore store = MemoryStore.create(() -> now);

    @Test
    void a_transaction_has_its_xid_before_its_first_position() {
        try (MemoryTransaction first = store.begin();
                MemoryTransaction second = store.begin()) {
            long xid = first.xid();
            store.append().append(second, List.of(entry("second")));
            store.append().append(first, List.of(entry("first")));
            assertThat(second.xid()).isGreaterThan(xid);
            assertThat(first.xid()).isEqualTo(xid);
        }
    }

    @Test
    void a_transaction_that_runs_beyond_the_latest_completed_one_is_not_listed() {
        Claim.ClaimedLane lane = claim();
        try (MemoryTransaction lower = store.begin();
                MemoryTransaction completed = store.begin();
                MemoryTransaction beyond = store.begin()) {
            lower.xid();
            store.append().append(completed, List.of(entry("a")));
            store.append().append(beyond, List.of(entry("b")));
            completed.commit();
            SnapshotRead page = read(lane);
            Snapshot snapshot = page.snapshot();
            assertThat(snapshot.inProgress()).containsExactly(lower.xid());
            assertThat(snapshot.xmin()).isEqualTo(lower.xid());
            assertThat(snapshot.xmax()).isLessThanOrEqualTo(beyond.xid());
            assertThat(page.bound()).isGreaterThan(beyond.xid());
        }
    }

    @Test
    void a_transaction_that_is_closed_open_is_rolled_back() {
        Claim.ClaimedLane lane = claim();
        try (MemoryTransaction transaction = store.begin()) {
            store.append().append(transaction, List.of(entry("a")));
        }
        SnapshotRead page = read(lane);
        assertThat(page.size()).isZero();
        assertThat(page.head()).isEqualTo(1);
        assertThat(page.snapshot().inProgress()).isEmpty();
    }

    private SnapshotRead read(Claim.ClaimedLane lane) {
        return ((SnapshotPage) store.claim().read(lane.ownership(), lane.cursor(), 10, 1_000)).read();
    }

    @Test
    void a_transaction_ends_once() {
        MemoryTransaction transaction = store.begin();
        transaction.commit();
        transaction.close();
        assertThatIllegalStateException().isThrownBy(transaction::commit);
        assertThatIllegalStateException().isThrownBy(transaction::rollback);
        assertThatIllegalStateException().isThrownBy(() -> store.append().append(transaction, List.of(entry("a"))));
    }

    @Test
    void a_transaction_belongs_to_its_store() {
        try (MemoryTransaction foreign = MemoryStore.create().begin()) {
            assertThatIllegalArgumentException().isThrownBy(() -> store.append().append(foreign, List.of(entry("a"))));
        }
    }

    @Test
    void a_lease_lasts_on_the_clock_of_the_store() {
        claim();
        now = now.plus(LEASE).minusNanos(1);
        assertThat(claimAs("other")).isEmpty();
        now = now.plusNanos(1);
        assertThat(claimAs("other")).hasSize(Lane.COUNT_DEFAULT);
        assertThat(store.renew().renew("node", LEASE, Set.of("letters")).held()).isEmpty();
    }

    private Claim.ClaimedLane claim() {
        store.subscriptions().register("letters", Start.beginning(), "**");
        Lane lane = Lane.of("ann", entry("a").id(), Lane.COUNT_DEFAULT);
        return claimAs("node").stream()
                .filter(claimed -> claimed.ownership().lane().equals(lane))
                .findFirst()
                .orElseThrow();
    }

    private List<Claim.ClaimedLane> claimAs(String node) {
        store.renew().renew(node, LEASE, Set.of("letters"));
        return store.claim()
                .claim(
                        new Claim.Claimant(node, "letters", "**", Park.View.of(Park.Wanted.WAITING_AND_DEAD)),
                        List.of(),
                        Lane.COUNT_DEFAULT);
    }

    private static Append.Entry entry(String text) {
        return new Append.Entry(
                new EventId(UUID.randomUUID()), "letter.sent", "ann", "\"" + text + "\"", Headers.NONE, null);
    }
}
