package io.postrider.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.Answer;
import io.postrider.policy.AfterDead;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Events are named by their key and a number: a1 comes before a2, and neither waits for b1. */
class BatchTest {
    private final List<String> stragglers = new ArrayList<>();
    private int done;
    private AfterDead afterDead = AfterDead.GO_ON;
    private Answer destination = Answer.delivered("one");

    @Test
    void keys_are_taken_beside_each_other_and_each_in_its_order() {
        Batch batch = batch("a1", "a2", "b1", "a3");
        Batch.Chunk a1 = take(batch, "a1");
        Batch.Chunk b1 = take(batch, "b1");
        assertThat(batch.take(Room.UNBOUNDED)).isNull();
        finish(a1, Outcome.DELIVERED);
        Batch.Chunk a2 = take(batch, "a2");
        assertThat(batch.take(Room.UNBOUNDED)).isNull();
        finish(a2, Outcome.SKIPPED);
        finish(b1, Outcome.DELIVERED);
        assertThat(done).isZero();
        finish(take(batch, "a3"), Outcome.EXPIRED);
        assertThat(done).isEqualTo(1);
        assertThat(states(batch)).containsOnly(Item.State.DECIDED);
    }

    @Test
    void a_failed_event_blocks_what_follows_it_in_its_key() {
        Batch batch = batch("a1", "a2", "b1", "a3");
        Batch.Chunk a1 = take(batch, "a1");
        Batch.Chunk b1 = take(batch, "b1");
        finish(a1, Outcome.retry("busy"));
        finish(b1, Outcome.DELIVERED);
        assertThat(batch.take(Room.UNBOUNDED)).isNull();
        assertThat(done).isEqualTo(1);
        assertThat(states(batch))
                .containsExactly(Item.State.DECIDED, Item.State.BLOCKED, Item.State.DECIDED, Item.State.BLOCKED);
        assertThat(batch.begun()).isEqualTo(4);
    }

    @Test
    void what_follows_a_dead_event_goes_on_or_stays_blocked() {
        Batch goesOn = batch("a1", "a2");
        finish(take(goesOn, "a1"), Outcome.dead("broken"));
        finish(take(goesOn, "a2"), Outcome.DELIVERED);
        assertThat(done).isEqualTo(1);
        afterDead = AfterDead.STAY_BLOCKED;
        Batch blocked = batch("a1", "a2");
        finish(take(blocked, "a1"), Outcome.dead("broken"));
        assertThat(blocked.take(Room.UNBOUNDED)).isNull();
        assertThat(states(blocked)).containsExactly(Item.State.DECIDED, Item.State.BLOCKED);
        assertThat(done).isEqualTo(2);
    }

    @Test
    void a_chunk_has_different_keys_and_passes_over_those_that_are_busy() {
        destination = Answer.inBatchesOf(3);
        Batch batch = batch("a1", "b1", "c1", "d1", "a2", "d2", "e1");
        Batch.Chunk first = take(batch, "a1", "b1", "c1");
        Batch.Chunk second = take(batch, "d1", "e1");
        finish(first, Outcome.DELIVERED);
        finish(second, Outcome.DELIVERED);
        finish(take(batch, "a2", "d2"), Outcome.DELIVERED);
        assertThat(done).isEqualTo(1);
    }

    @Test
    void one_that_waited_for_its_key_goes_with_one_that_comes_next() {
        destination = Answer.inBatchesOf(2);
        Batch batch = batch("a1", "b1", "a2", "c1", "d1", "e1");
        Batch.Chunk first = take(batch, "a1", "b1");
        Batch.Chunk second = take(batch, "c1", "d1");
        finish(first, Outcome.DELIVERED);
        finish(second, Outcome.DELIVERED);
        assertThat(done).isZero();
        finish(take(batch, "a2", "e1"), Outcome.DELIVERED);
        assertThat(done).isEqualTo(1);
    }

    @Test
    void the_events_of_a_chunk_are_in_the_order_of_the_log() {
        destination = Answer.inBatchesOf(4);
        Batch batch = batch("a1", "b1", "c1", "d1", "b2", "a2", "e1");
        Batch.Chunk first = take(batch, "a1", "b1", "c1", "d1");
        Batch.Chunk second = take(batch, "e1");
        finish(first, Outcome.DELIVERED);
        finish(second, Outcome.DELIVERED);
        finish(take(batch, "b2", "a2"), Outcome.DELIVERED);
        assertThat(done).isEqualTo(1);
    }

    @Test
    void a_shortened_batch_starts_nothing_new_but_finishes_the_keys_under_way() {
        Batch batch = batch("a1", "a2", "b1", "c1");
        Batch.Chunk a1 = take(batch, "a1");
        Batch.Chunk b1 = take(batch, "b1");
        batch.shorten();
        finish(a1, Outcome.DELIVERED);
        finish(take(batch, "a2"), Outcome.DELIVERED);
        finish(b1, Outcome.DELIVERED);
        assertThat(batch.take(Room.UNBOUNDED)).isNull();
        assertThat(done).isEqualTo(1);
        assertThat(batch.begun()).isEqualTo(3);
    }

    @Test
    void a_closed_batch_gives_nothing_and_is_done_when_nothing_runs() {
        Batch batch = batch("a1", "a2", "b1");
        Batch.Chunk a1 = take(batch, "a1");
        batch.close();
        assertThat(batch.take(Room.UNBOUNDED)).isNull();
        assertThat(done).isZero();
        finish(a1, Outcome.DELIVERED);
        assertThat(done).isEqualTo(1);
    }

    @Test
    void what_runs_when_a_batch_is_cut_is_a_straggler_for_good() {
        Batch batch = batch("a1", "b1", "b2");
        Batch.Chunk a1 = take(batch, "a1");
        finish(take(batch, "b1"), Outcome.DELIVERED);
        assertThat(batch.cut()).isTrue();
        assertThat(batch.cut()).isFalse();
        finish(a1, Outcome.DELIVERED);
        assertThat(stragglers).containsExactly("a1");
        assertThat(batch.items()).extracting(item -> item.straggler).containsExactly(true, false, false);
        assertThat(done).isZero();
    }

    @Test
    void a_second_answer_for_an_event_is_ignored() {
        Batch batch = batch("a1", "a2");
        Batch.Chunk a1 = take(batch, "a1");
        finish(a1, Outcome.retry("too slow"));
        finish(a1, Outcome.DELIVERED);
        assertThat(batch.items().get(0).outcome()).isEqualTo(Outcome.retry("too slow"));
        assertThat(batch.take(Room.UNBOUNDED)).isNull();
        assertThat(done).isEqualTo(1);
    }

    @Test
    void a_batch_that_is_given_up_blames_who_runs_and_undoes_what_was_delivered() {
        Batch batch = batch("a1", "b1", "c1", "d1");
        finish(take(batch, "a1"), Outcome.DELIVERED);
        finish(take(batch, "b1"), Outcome.dead("broken"));
        Batch.Chunk c1 = take(batch, "c1");
        batch.giveUp(Outcome.retry("too slow"));
        finish(c1, Outcome.DELIVERED);
        assertThat(batch.take(Room.UNBOUNDED)).isNull();
        assertThat(states(batch))
                .containsExactly(Item.State.UNSTARTED, Item.State.DECIDED, Item.State.DECIDED, Item.State.UNSTARTED);
        assertThat(batch.items().get(2).outcome()).isEqualTo(Outcome.retry("too slow"));
        assertThat(batch.begun()).isEqualTo(3);
    }

    @Test
    void a_batch_that_is_refused_blames_an_event_alone_and_suspects_several() {
        Batch alone = batch("a1", "b1");
        finish(take(alone, "a1"), Outcome.dead("broken"));
        finish(take(alone, "b1"), Outcome.DELIVERED);
        alone.refuse(Outcome.retry("refused"));
        assertThat(alone.items().get(1).outcome()).isEqualTo(Outcome.retry("refused"));
        Batch several = batch("a1", "b1", "c1");
        finish(take(several, "a1"), Outcome.DELIVERED);
        take(several, "b1");
        several.refuse(Outcome.retry("refused"));
        assertThat(states(several)).containsOnly(Item.State.UNSTARTED);
        assertThat(several.items()).extracting(item -> item.suspect).containsExactly(true, true, false);
    }

    private Batch batch(String... names) {
        List<Item> items = new ArrayList<>();
        for (String name : names) {
            items.add(new Item(event(name, items.size() + 1), name.substring(0, 1), null, destination));
        }
        Batch batch = new Batch(items, afterDead, 0, Instant::now);
        batch.tells(new Batch.Listener() {
            @Override
            public void done(Batch batch) {
                done++;
            }

            @Override
            public void straggler(Item item) {
                stragglers.add(item.event.type());
            }
        });
        return batch;
    }

    private static StoredEvent event(String name, int position) {
        return new StoredEvent(
                new Position(position),
                new Lane(0),
                new EventId(new UUID(0, position)),
                name,
                name.substring(0, 1),
                "{}",
                Headers.NONE,
                null,
                Instant.EPOCH);
    }

    private static Batch.Chunk take(Batch batch, String... names) {
        Batch.@Nullable Chunk chunk = batch.take(Room.UNBOUNDED);
        assertThat(chunk).isNotNull();
        Batch.Chunk taken = Objects.requireNonNull(chunk);
        assertThat(taken.items()).extracting(item -> item.event.type()).containsExactly(names);
        return taken;
    }

    private static void finish(Batch.Chunk chunk, Outcome outcome) {
        chunk.batch().finish(chunk, Collections.nCopies(chunk.items().size(), outcome));
    }

    private static List<Item.State> states(Batch batch) {
        return batch.items().stream().map(item -> item.state).toList();
    }
}
