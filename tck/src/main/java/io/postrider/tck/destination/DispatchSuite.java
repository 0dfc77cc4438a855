package io.postrider.tck.destination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Guarded;
import io.postrider.destination.Outcome;
import io.postrider.tck.destination.DestinationFixture.Limitation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Acknowledged means acknowledged, refused means dead, and each event has its own outcome. */
public abstract class DispatchSuite extends DestinationCase {
    /** A window bounds something. */
    private static final int WINDOW_MAX = 10_000;

    private static final Duration PATIENCE_MAX = Duration.ofSeconds(10);
    private static final int THREADS = 4;
    private static final int ROUNDS = 10;

    @Test
    void the_profile_names_it_and_bounds_what_is_under_way() {
        Destination.Profile profile = destination.profile();
        assertThat(profile.name()).isNotBlank();
        assertThat(profile.window()).isBetween(profile.batch(), WINDOW_MAX);
        assertThat(profile.patience()).isPositive().isLessThanOrEqualTo(PATIENCE_MAX);
        assertThat(destination.profile()).isEqualTo(profile);
    }

    @Test
    void what_is_acknowledged_has_arrived() {
        List<StoredEvent> events = letters(3 * destination.profile().batch());
        assertDelivered(dispatch(events));
        assertArrived(events);
    }

    @Test
    void events_of_one_key_arrive_in_the_order_of_their_dispatches() {
        List<StoredEvent> events = IntStream.range(0, 50)
                .mapToObj(number -> letter("ann", "letter " + number))
                .toList();
        events.forEach(event -> assertDelivered(dispatch(event)));
        assertArrived(events);
        assertThat(arrivedIds(events)).containsExactlyElementsOf(ids(events));
    }

    @Test
    void a_refused_event_is_dead_with_the_words_of_who_refused_it() {
        if (has(Limitation.REFUSES_NOTHING)) {
            assertThatThrownBy(fixture()::refused).isInstanceOf(UnsupportedOperationException.class);
            return;
        }
        StoredEvent refused = stored(fixture().refused());
        for (int time = 0; time < 2; time++) {
            assertRefused(dispatch(refused).get(0));
        }
        assertThat(arrived(List.of(refused))).isEmpty();
    }

    @Test
    void the_others_of_a_dispatch_arrive_although_one_is_refused() {
        if (has(Limitation.REFUSES_NOTHING)) {
            assertThatThrownBy(fixture()::refused).isInstanceOf(UnsupportedOperationException.class);
            return;
        }
        List<StoredEvent> others = letters(Math.min(4, destination.profile().batch() - 1));
        List<StoredEvent> events = new ArrayList<>(others);
        int middle = others.size() / 2;
        events.add(middle, stored(fixture().refused()));
        List<Outcome> outcomes = new ArrayList<>(dispatch(events));
        assertRefused(outcomes.remove(middle));
        others = others.isEmpty() ? letters(1) : others; // it takes one at a time
        assertDelivered(outcomes.isEmpty() ? dispatch(others) : outcomes);
        assertArrived(others);
    }

    private void assertRefused(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Dead.class);
        assertThat(((Outcome.Dead) outcome).why()).contains(fixture().refusal());
    }

    @Test
    void several_threads_dispatch_at_once() {
        Destination.Profile profile = destination.profile();
        int threads = Math.min(THREADS, profile.window());
        int each = Math.min(profile.batch(), profile.window() / threads);
        List<StoredEvent> events = letters(threads * ROUNDS * each);
        List<CompletableFuture<List<Outcome>>> answers = IntStream.range(0, threads)
                .mapToObj(thread -> inTurn(events.subList(thread * ROUNDS * each, (thread + 1) * ROUNDS * each), each))
                .toList();
        answers.forEach(answer -> assertDelivered(answer(answer)));
        assertArrived(events);
    }

    /** One dispatch after the other, each begun when the one before is answered. */
    private CompletableFuture<List<Outcome>> inTurn(List<StoredEvent> events, int each) {
        CompletableFuture<List<Outcome>> answered = begin(events.subList(0, each));
        for (int from = each; from < events.size(); from += each) {
            List<StoredEvent> some = events.subList(from, from + each);
            answered = answered.thenCompose(before -> begin(some).thenApply(after -> {
                List<Outcome> both = new ArrayList<>(before);
                both.addAll(after);
                return both;
            }));
        }
        return answered;
    }

    @Test
    void an_event_dispatched_twice_arrives_once_where_the_server_deduplicates() {
        StoredEvent event = letter("ann", "twice");
        StoredEvent after = letter("ann", "after");
        assertDelivered(dispatch(event));
        assertDelivered(dispatch(event));
        assertDelivered(dispatch(after));
        assertArrived(List.of(event, after));
        int times = has(Limitation.DOES_NOT_DEDUPLICATE) ? 2 : 1;
        assertThat(arrived(List.of(event))).hasSize(times);
    }

    @Test
    void what_a_guarded_destination_has_acknowledged_is_found_by_its_receipt() {
        List<StoredEvent> events = letters(Math.min(3, destination.profile().batch()));
        List<Outcome> outcomes = dispatch(events);
        assertDelivered(outcomes);
        if (destination instanceof Guarded guarded) {
            List<Guarded.Sealed> seals = seals(events, outcomes);
            assertThat(verify(guarded, seals)).containsOnly(true).hasSameSizeAs(seals);
            List<Guarded.Sealed> forged = seals.stream()
                    .map(seal -> new Guarded.Sealed(seal.receipt(), drawId()))
                    .toList();
            assertThat(verify(guarded, forged))
                    .as("forged receipts")
                    .containsOnly(false)
                    .hasSameSizeAs(forged);
        }
        assertArrived(events);
    }

    // ---- close ------------------------------------------------------------------------------------------------------

    @Test
    void after_its_close_everything_is_down() throws Exception {
        List<StoredEvent> before = letters(1);
        assertDelivered(dispatch(before));
        close(destination);
        close(destination);
        assertDown(dispatch(letters(3)));
        assertThatThrownBy(() -> answer(probe(destination))).hasMessageStartingWith(FAILED);
        assertArrived(before);
    }

    @Test
    void what_is_under_way_when_it_is_closed_is_answered_and_delivered_only_if_it_has_arrived() throws Exception {
        List<StoredEvent> events = letters(destination.profile().batch());
        CompletableFuture<List<Outcome>> underWay = begin(events);
        close(destination);
        List<Outcome> outcomes = answer(underWay);
        List<StoredEvent> delivered = new ArrayList<>();
        List<Outcome> others = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            if (outcomes.get(i).isDelivered()) {
                delivered.add(events.get(i));
            } else {
                others.add(outcomes.get(i));
            }
        }
        assertDown(others.isEmpty() ? dispatch(letters(1)) : others);
        assertArrived(delivered);
    }
}
