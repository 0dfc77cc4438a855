package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Ledger;
import io.postrider.policy.Schedule;
import io.postrider.store.Append;
import io.postrider.store.Claim;
import io.postrider.store.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tasks: rows that any node claims, each under a lease and fenced by the number of its claim. */
public abstract class TasksSuite<T> extends StoreCase<T> {
    private static final Duration SHORT = Duration.ofMillis(150);
    /** Not over yet when the next call is made, however busy the machine is. */
    private static final Duration A_WHILE = Duration.ofSeconds(3);

    private Tasks tasks() {
        return store.tasks();
    }

    @Test
    void a_task_is_claimed_by_one_node_and_its_attempt_counted() {
        fed(Schedule.NONE);
        assertThat(tasks().ready(SUBSCRIPTION, 10)).isEqualTo(1);
        assertThat(take(NODE, 10)).singleElement().satisfies(task -> {
            assertThat(task.delivery().attempt()).isEqualTo(1);
            assertThat(task.delivery().status()).isEqualTo(Delivery.Status.RUNNING);
            assertThat(task.event().payload()).isEqualTo("0");
        });
        assertThat(take(OTHER_NODE, 10)).isEmpty();
        assertThat(tasks().ready(SUBSCRIPTION, 10)).isZero();
    }

    @Test
    void higher_priorities_go_first_and_equals_by_position() {
        fed(prioritised(0), prioritised(5), prioritised(-5), prioritised(5), prioritised(100));
        assertThat(take(NODE, 3)).extracting(this::number).containsExactlyInAnyOrder(4, 1, 3);
        assertThat(take(NODE, 3)).extracting(this::number).containsExactlyInAnyOrder(0, 2);
    }

    @Test
    void what_expires_soon_goes_before_every_priority_and_the_soonest_first() {
        Instant now = Instant.now();
        fed(
                prioritised(100),
                Schedule.NONE.expiresAt(now.plusSeconds(50)),
                Schedule.NONE.expiresAt(now.plusSeconds(40)),
                Schedule.NONE.expiresAt(now.plusSeconds(10_000)));
        assertThat(take(NODE, 1)).extracting(this::number).containsExactly(2);
        assertThat(take(NODE, 1)).extracting(this::number).containsExactly(1);
        assertThat(take(NODE, 1)).extracting(this::number).containsExactly(0);
        assertThat(take(NODE, 1)).extracting(this::number).containsExactly(3);
    }

    @Test
    void a_claim_may_be_for_some_types_or_for_all_but_some() {
        fed(Schedule.NONE);
        Set<String> type = Set.of(TYPE);
        assertThat(take(NODE, new Tasks.Types(false, type), 10)).isEmpty();
        assertThat(take(NODE, new Tasks.Types(true, Set.of("other")), 10)).isEmpty();
        assertThat(take(NODE, new Tasks.Types(true, type), 10)).hasSize(1);
    }

    @Test
    void a_delivered_task_is_gone_and_counted() {
        fed(Schedule.NONE);
        Claim.ClaimedDelivery task = take(NODE, 1).get(0);
        Tasks.HeldTask held = held(task);
        Tasks.Ended delivered = new Tasks.Ended(held, new Counts(1, 0, -1, 0, 0, 0), null);
        assertThat(tasks().settle(SUBSCRIPTION, List.of(delivered))).containsExactly(held);
        assertThat(tasks().settle(SUBSCRIPTION, List.of(delivered))).isEmpty();
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(new Counts(1, 0, 0, 0, 0, 0), 0));
    }

    @Test
    void a_failed_task_waits_until_it_is_due_and_a_dead_one_for_ever() {
        fed(Schedule.NONE, Schedule.NONE);
        List<Claim.ClaimedDelivery> claimed = take(NODE, 2);
        Delivery later = claimed.get(0).delivery().waiting(1, Instant.now().plusSeconds(3_600), "busy");
        Delivery dead = claimed.get(1).delivery().dead(1, "broken");
        tasks().settle(
                        SUBSCRIPTION,
                        List.of(
                                new Tasks.Ended(held(claimed.get(0)), Counts.NONE, later),
                                new Tasks.Ended(held(claimed.get(1)), new Counts(0, 0, -1, 1, 0, 0), dead)));
        tasks().prepare(SUBSCRIPTION);
        assertThat(take(NODE, 10)).isEmpty();
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(0, 0, 1, 1, 0, 0));

        assertThat(store.operate().replay(SUBSCRIPTION, dead.position(), BY).done())
                .isTrue();
        assertThat(tasks().prepare(SUBSCRIPTION).readied()).isEqualTo(1);
        assertThat(take(NODE, 10))
                .singleElement()
                .satisfies(task -> assertThat(task.delivery().attempt()).isEqualTo(1));
    }

    /** Its answer was lost, so its node sends it again; meanwhile the task runs elsewhere, under the same attempt. */
    @Test
    void a_settle_that_is_repeated_takes_no_task_from_the_next_claim() {
        fed(Schedule.NONE);
        Claim.ClaimedDelivery first = take(NODE, 1).get(0);
        Delivery putBack = first.delivery().waiting(0, Instant.now().minusSeconds(1), null);
        Tasks.Ended ended = new Tasks.Ended(held(first), Counts.NONE, putBack);
        assertThat(tasks().settle(SUBSCRIPTION, List.of(ended))).containsExactly(held(first));
        assertThat(tasks().prepare(SUBSCRIPTION).readied()).isEqualTo(1);
        Claim.ClaimedDelivery next = take(OTHER_NODE, 1).get(0);
        assertThat(next.delivery().attempt()).isEqualTo(first.delivery().attempt());
        assertThat(tasks().settle(SUBSCRIPTION, List.of(ended))).isEmpty();
        assertThat(tasks().renew(SUBSCRIPTION, Set.of(held(first), held(next)), LONG_LEASE))
                .containsExactly(held(next));
    }

    @Test
    void a_task_whose_lease_ran_out_is_another_s_and_its_first_owner_is_fenced() {
        fed(Schedule.NONE);
        Tasks.HeldTask first = held(take(NODE, A_WHILE).get(0));
        assertThat(tasks().prepare(SUBSCRIPTION).readied()).isZero();
        eventually()
                .holds(() -> assertThat(tasks().prepare(SUBSCRIPTION).readied()).isEqualTo(1));
        Claim.ClaimedDelivery again = take(OTHER_NODE, 1).get(0);
        assertThat(again.delivery().attempt()).isEqualTo(2);
        assertThat(tasks().renew(SUBSCRIPTION, Set.of(first, held(again)), LONG_LEASE))
                .containsExactly(held(again));
        Tasks.Ended delivered = new Tasks.Ended(first, new Counts(1, 0, -1, 0, 0, 0), null);
        assertThat(tasks().settle(SUBSCRIPTION, List.of(delivered))).isEmpty();
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(0, 0, 1, 0, 0, 0));
    }

    @Test
    void a_task_whose_lease_ran_out_is_left_to_an_owner_that_is_alive_for_a_while() {
        fed(Schedule.NONE);
        renew(NODE, LONG_LEASE);
        assertThat(take(NODE, SHORT)).hasSize(1);
        awaitLeftOver();
        assertThat(prepare(OTHER_NODE, Set.of(), LONG_LEASE).readied()).isZero();
        assertThat(prepare(OTHER_NODE, Set.of(), Duration.ZERO).readied()).isEqualTo(1);
    }

    @Test
    void a_task_whose_owner_has_fallen_silent_is_left_to_nobody() {
        fed(Schedule.NONE);
        renew(NODE, SHORT_LEASE);
        assertThat(take(NODE, SHORT)).hasSize(1);
        eventually()
                .holds(() -> assertThat(
                                prepare(OTHER_NODE, Set.of(), LONG_LEASE).readied())
                        .isEqualTo(1));
    }

    @Test
    void a_task_tells_which_node_lost_it_last_and_what_it_failed_with_before() {
        fed(Schedule.NONE);
        assertThat(lostBy(NODE, Tasks.Types.ALL).error()).isNull();
        Claim.ClaimedDelivery again = take(OTHER_NODE, 1).get(0);
        assertThat(again.delivery().error()).isEqualTo("the node that ran it ended, or lost it: " + NODE);
        Delivery failed = again.delivery().waiting(2, Instant.now(), "boom");
        assertThat(tasks().settle(SUBSCRIPTION, List.of(new Tasks.Ended(held(again), Counts.NONE, failed))))
                .hasSize(1);
        eventually()
                .holds(() -> assertThat(tasks().prepare(SUBSCRIPTION).readied()).isEqualTo(1));
        assertThat(lostBy(NODE, Tasks.Types.ALL).error()).isEqualTo("boom");
        assertThat(lostBy(OTHER_NODE, Tasks.Types.SUSPECTS).error())
                .isEqualTo("the node that ran it ended, or lost it: " + NODE + "; before that: boom");
        assertThat(take(NODE, Tasks.Types.SUSPECTS, 1).get(0).delivery().error())
                .isEqualTo("the node that ran it ended, or lost it: " + OTHER_NODE + "; before that: boom");
    }

    /** The row that it had while this node ran it, until the lease was over. */
    private Delivery lostBy(String node, Tasks.Types types) {
        Tasks.Claimant claimant = new Tasks.Claimant(node, SUBSCRIPTION, SHORT, Duration.ZERO, types);
        Delivery row = tasks().claim(claimant, 1).get(0).delivery();
        eventually()
                .holds(() -> assertThat(tasks().prepare(SUBSCRIPTION).readied()).isEqualTo(1));
        return row;
    }

    @Test
    void a_node_sweeps_what_it_has_forgotten_and_nothing_that_it_holds() {
        fed(Schedule.NONE, Schedule.NONE);
        renew(NODE, LONG_LEASE);
        Tasks.HeldTask held = held(take(NODE, SHORT).get(0));
        assertThat(take(NODE, SHORT)).hasSize(1);
        awaitLeftOver();
        assertThat(prepare(NODE, Set.of(held), LONG_LEASE).readied()).isEqualTo(1);
        assertThat(prepare(NODE, Set.of(held), Duration.ZERO).readied()).isZero();
        assertThat(tasks().renew(SUBSCRIPTION, Set.of(held), LONG_LEASE)).containsExactly(held);
    }

    /** Until the leases of what was taken for a short time have run out. */
    private void awaitLeftOver() {
        Instant end = Instant.now().plus(SHORT.multipliedBy(2));
        eventually().holds(() -> assertThat(Instant.now()).isAfter(end));
    }

    private Tasks.Prepared prepare(String node, Set<Tasks.HeldTask> holding, Duration patience) {
        return tasks().prepare(SUBSCRIPTION, new Tasks.Preparer(node, holding, patience));
    }

    @Test
    void a_heartbeat_keeps_a_task() throws InterruptedException {
        fed(Schedule.NONE);
        Tasks.HeldTask held = held(take(NODE, SHORT).get(0));
        assertThat(tasks().renew(SUBSCRIPTION, Set.of(held), LONG_LEASE)).containsExactly(held);
        Thread.sleep(SHORT.toMillis() * 2);
        assertThat(tasks().prepare(SUBSCRIPTION).readied()).isZero();
    }

    @Test
    void a_task_whose_time_has_passed_expires_and_is_counted() {
        fed(Schedule.NONE.expiresAt(Instant.now().minusSeconds(1)));
        assertThat(take(NODE, 1)).isEmpty();
        assertThat(tasks().prepare(SUBSCRIPTION).expired())
                .singleElement()
                .satisfies(row -> assertThat(row.status()).isEqualTo(Delivery.Status.EXPIRED));
        assertThat(tasks().prepare(SUBSCRIPTION).expired()).isEmpty();
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(new Counts(0, 0, 0, 0, 1, 0));
        assertThat(store.browse().deliveries(SUBSCRIPTION, Delivery.Status.EXPIRED, Position.ZERO, 10))
                .hasSize(1);
    }

    @Test
    void tasks_of_one_queue_are_none_of_another_s() {
        fed(Schedule.NONE);
        assertThat(tasks().ready("other", 10)).isZero();
        assertThat(tasks().prepare("other").readied()).isZero();
        Tasks.Claimant other = new Tasks.Claimant(NODE, "other", LONG_LEASE, Duration.ZERO, Tasks.Types.ALL);
        assertThat(tasks().claim(other, 10)).isEmpty();
    }

    // ---- what the tests do ------------------------------------------------------------------------------------------

    private static Schedule prioritised(int priority) {
        return Schedule.NONE.priority(priority);
    }

    /** One task for each, numbered by its payload. */
    private void fed(Schedule... schedules) {
        T transaction = fixture.begin();
        store.append()
                .append(
                        transaction,
                        IntStream.range(0, schedules.length)
                                .mapToObj(i -> new Append.Entry(
                                        drawId(),
                                        TYPE,
                                        "ann",
                                        String.valueOf(i),
                                        io.postrider.Headers.NONE,
                                        null,
                                        schedules[i]))
                                .toList());
        fixture.commit(transaction);
        LaneReader reader = reader("ann");
        List<StoredEvent> events = reader.drain(schedules.length);
        List<Delivery> rows = events.stream()
                .map(event -> Delivery.task(event, Instant.now()))
                .toList();
        assertThat(reader.park(rows)).isTrue();
        assertThat(Arrays.stream(schedules)).hasSameSizeAs(rows);
    }

    private int number(Claim.ClaimedDelivery task) {
        return Integer.parseInt(task.event().payload());
    }

    private List<Claim.ClaimedDelivery> take(String node, int most) {
        return take(node, Tasks.Types.ALL, most);
    }

    private List<Claim.ClaimedDelivery> take(String node, Tasks.Types types, int most) {
        return tasks().claim(new Tasks.Claimant(node, SUBSCRIPTION, LONG_LEASE, Duration.ofMinutes(1), types), most);
    }

    private List<Claim.ClaimedDelivery> take(String node, Duration lease) {
        return tasks().claim(new Tasks.Claimant(node, SUBSCRIPTION, lease, Duration.ZERO, Tasks.Types.ALL), 1);
    }

    private static Tasks.HeldTask held(Claim.ClaimedDelivery task) {
        return new Tasks.HeldTask(task.event().lane(), task.delivery().position(), task.claim());
    }
}
