package io.postrider.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.Answer;
import io.postrider.engine.base.SystemEnvironment;
import io.postrider.engine.lane.Parked;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.policy.AfterDead;
import io.postrider.policy.Retention;
import io.postrider.policy.RetryPolicy;
import io.postrider.policy.Start;
import io.postrider.policy.SubscriptionLimits;
import io.postrider.store.Ownership;
import io.postrider.store.Settlement;
import io.postrider.store.Tasks;
import io.postrider.store.snapshot.SnapshotCursor;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VerdictsTest {
    private final SystemEnvironment environment = new SystemEnvironment();

    @AfterEach
    void close() {
        environment.close();
    }

    @Test
    void an_event_that_ends_between_the_cut_and_the_settle_is_counted_once() {
        Item item = new Item(event(1), "k", null, Answer.delivered("one"));
        Batch batch = new Batch(List.of(item), AfterDead.GO_ON, 0, Instant::now);
        Batch.Chunk chunk = Objects.requireNonNull(batch.take(Room.UNBOUNDED));
        assertThat(batch.cut()).isTrue();
        batch.finish(chunk, List.of(Outcome.DELIVERED));

        Verdicts first = new Verdicts(spec(), environment);
        first.add(item);
        Settlement cut = settlement(first, Counts.NONE);
        assertThat(cut.counts()).isEqualTo(new Counts(0, 0, 1, 0, 0, 0));
        assertThat(cut.changed()).extracting(Delivery::status).containsExactly(Delivery.Status.RUNNING);

        Verdicts second = new Verdicts(spec(), environment);
        second.finished(cut.changed().get(0), Headers.NONE, item.outcome());
        assertThat(settlement(second, cut.counts()).counts()).isEqualTo(new Counts(1, 0, 0, 0, 0, 0));
    }

    @Test
    void a_destination_that_asks_for_a_retry_at_the_end_of_time_gets_one_that_can_be_stored() {
        Item item = new Item(event(1), "k", null, Answer.delivered("one"));
        item.decide(new Outcome.Retry(Instant.MAX, "later"));
        Verdicts verdicts = new Verdicts(spec(), environment);
        verdicts.add(item);
        assertThat(verdicts.changed().get(0).dueAt()).isBefore(environment.now().plus(Duration.ofDays(31)));
    }

    @Test
    void an_event_that_is_buried_because_its_row_is_refused_is_told_as_dead() {
        Item item = new Item(event(1), "k", null, Answer.delivered("one"));
        item.decide(Outcome.retry("again"));
        Verdicts verdicts = new Verdicts(spec(), environment);
        verdicts.add(item);
        assertThat(verdicts.plainer("too long").stream().map(Verdicts::failed))
                .extracting(failed -> failed.get(0).row().status())
                .containsExactly(Delivery.Status.WAITING, Delivery.Status.DEAD, Delivery.Status.DEAD);
    }

    /** A settlement that the store refuses is written in halves: the row in front may be gone before. */
    @Test
    void a_row_that_is_parked_behind_one_that_is_gone_is_looked_for() {
        Parked parked = new Parked(spec(), environment::now);
        Delivery front = Delivery.parked(event(1), environment.now(), false);
        parked.settled(List.of(), List.of(front));
        parked.settled(List.of(front), List.of());
        parked.settled(
                List.of(),
                List.of(Delivery.parked(event(2), environment.now(), false).behind(true)));
        assertThat(parked.ended(10)).containsExactly("k");
    }

    @Test
    void a_replayed_row_waits_for_the_event_of_its_key_that_runs() {
        Parked parked = new Parked(spec(), environment::now);
        Instant now = environment.now();
        Delivery later = Delivery.parked(event(2), now, false).running(1);
        Delivery replayed = Delivery.parked(event(1), now, false);
        parked.settled(List.of(), List.of(later));
        parked.settled(List.of(), List.of(replayed));
        assertThat(parked.due(now, 10)).isEmpty();
        parked.settled(List.of(later), List.of());
        assertThat(parked.due(now, 10)).containsExactly(replayed);
    }

    @Test
    void rows_that_only_wait_for_the_first_of_their_key_are_claimed_with_it() {
        Parked parked = new Parked(spec(), environment::now);
        Instant now = environment.now();
        List<Delivery> rows = IntStream.rangeClosed(1, 5)
                .mapToObj(position -> Delivery.parked(event(position), now, false))
                .toList();
        parked.settled(List.of(), rows);
        assertThat(parked.due(now, 10)).containsExactlyElementsOf(rows);
        assertThat(parked.due(now, 3)).containsExactlyElementsOf(rows.subList(0, 3));
        parked.settled(List.of(), List.of(rows.get(2).waiting(1, now.plusSeconds(1), "busy")));
        assertThat(parked.due(now, 10)).containsExactlyElementsOf(rows.subList(0, 2));
        parked.settled(List.of(), List.of(rows.get(0).waiting(1, now.plusSeconds(1), "busy")));
        assertThat(parked.due(now, 10)).isEmpty();
    }

    @Test
    void a_suspect_is_claimed_alone_also_behind_others_of_its_key() {
        Parked parked = new Parked(spec(), environment::now);
        Instant now = environment.now();
        Delivery first = Delivery.parked(event(1), now, false);
        Delivery suspect = Delivery.parked(event(2), now, true);
        parked.settled(List.of(), List.of(first));
        parked.settled(List.of(), List.of(suspect));
        assertThat(parked.due(now, 10)).containsExactly(first);
        parked.settled(List.of(first), List.of());
        assertThat(parked.due(now, 10)).containsExactly(suspect);
    }

    @Test
    void a_task_whose_attempts_are_used_up_tells_its_last_error_and_none_that_it_did_not_have() {
        Delivery row = Delivery.task(event(1), Instant.EPOCH).running(4);
        assertThat(Verdicts.usedUp(row, 3)).isEqualTo(Outcome.dead("3 attempts are used up, and 3 are allowed"));
        assertThat(Verdicts.usedUp(row.error(Tasks.lostBy("node-b", Tasks.lostBy("node-a", "boom"))), 3))
                .isEqualTo(Outcome.dead("3 attempts are used up, and 3 are allowed; the last error:"
                        + " the node that ran it ended, or lost it: node-b; before that: boom"));
    }

    private static Settlement settlement(Verdicts verdicts, Counts before) {
        Ownership ownership = new Ownership("s", new Lane(0), 1, "");
        Draft draft = new Draft(ownership, 1, SnapshotCursor.after(0), before, List.of(), null);
        return draft.settlement(verdicts, SnapshotCursor.after(0));
    }

    private static SubscriptionSpec spec() {
        return new SubscriptionSpec(
                "s",
                Start.beginning(),
                true,
                AfterDead.GO_ON,
                RetryPolicy.DEFAULT,
                Map.of(),
                new Routes(Map.of()),
                SubscriptionLimits.DEFAULT,
                null,
                null,
                Retention.DEFAULT,
                null);
    }

    private static StoredEvent event(int position) {
        EventId id = new EventId(new UUID(0, position));
        return new StoredEvent(
                new Position(position), new Lane(0), id, "type", "k", "{}", Headers.NONE, null, Instant.EPOCH);
    }
}
