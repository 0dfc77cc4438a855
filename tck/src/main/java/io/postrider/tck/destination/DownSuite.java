package io.postrider.tck.destination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.StoredEvent;
import io.postrider.destination.Connected;
import io.postrider.destination.Guarded;
import io.postrider.destination.Outcome;
import io.postrider.tck.destination.DestinationFixture.Limitation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A server that is away costs nothing but time: no event is to blame, nobody waits for ever, and it comes back. */
public abstract class DownSuite extends DestinationCase {
    /** Enough to have under way, however large a window is. */
    private static final int MANY = 1_000;

    @Test
    void while_the_server_is_down_each_event_is_down_and_none_to_blame() {
        assertDelivered(dispatch(letters(1)));
        stop();
        assertDown(answer(begin(letters(destination.profile().batch()))));
        assertDown(answer(begin(letters(1))));
    }

    @Test
    void the_probe_says_why_it_is_down_and_completes_when_it_is_back() {
        stop();
        assertProbeFails();
        assertProbeFails();
        start();
        awaitProbe(destination);
        assertTakesEvents();
    }

    @Test
    void what_was_down_arrives_when_it_is_dispatched_again() {
        List<StoredEvent> events = letters(destination.profile().batch());
        stop();
        assertDown(answer(begin(events)));
        start();
        awaitProbe(destination);
        listening();
        assertDelivered(dispatch(events));
        assertArrived(events);
    }

    @Test
    void it_can_be_opened_while_the_server_is_down() {
        stop();
        destination = open();
        assertProbeFails();
        assertDown(answer(begin(letters(1))));
        start();
        awaitProbe(destination);
        assertTakesEvents();
    }

    @Test
    void it_comes_back_every_time() {
        for (int time = 0; time < 2; time++) {
            stop();
            assertDown(answer(begin(letters(1))));
            start();
            awaitProbe(destination);
            assertTakesEvents();
        }
    }

    @Test
    void events_that_nobody_answers_are_down_when_patience_is_over() {
        if (has(Limitation.CANNOT_BE_PAUSED)) {
            assertThatThrownBy(fixture()::pauseServer).isInstanceOf(UnsupportedOperationException.class);
            return;
        }
        List<StoredEvent> events = letters(destination.profile().batch());
        pause();
        assertDown(answer(begin(events)));
        assertProbeFails();
        resume();
        awaitProbe(destination);
        assertDelivered(dispatch(events));
        assertArrived(events);
    }

    @Test
    void what_was_under_way_in_a_crash_is_down_unless_it_was_acknowledged() {
        int batch = destination.profile().batch();
        List<List<StoredEvent>> batches = new ArrayList<>();
        List<CompletableFuture<List<Outcome>>> answers = new ArrayList<>();
        for (int events = batch; events <= Math.min(MANY, destination.profile().window()); events += batch) {
            batches.add(letters(batch));
            answers.add(begin(batches.get(batches.size() - 1)));
        }
        stop();
        List<StoredEvent> events = batches.stream().flatMap(List::stream).toList();
        List<Outcome> outcomes =
                answers.stream().flatMap(answer -> answer(answer).stream()).toList();
        assertDown(answer(begin(letters(1))));
        start();
        awaitProbe(destination);
        assertKept(events, outcomes);
    }

    /** What was acknowledged is there, or its guard misses it; the rest was down. */
    private void assertKept(List<StoredEvent> events, List<Outcome> outcomes) {
        List<StoredEvent> kept = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            if (!outcomes.get(i).isDelivered()) {
                assertDown(List.of(outcomes.get(i)));
            } else if (!isMissed(events.get(i), outcomes.get(i))) {
                kept.add(events.get(i));
            }
        }
        assertArrived(kept);
    }

    private boolean isMissed(StoredEvent event, Outcome outcome) {
        return destination instanceof Guarded guarded
                && !verify(guarded, seals(List.of(event), List.of(outcome))).get(0);
    }

    @Test
    void a_connected_destination_tells_that_it_is_cut_off_before_anyone_dispatches() {
        List<String> told = new CopyOnWriteArrayList<>();
        if (destination instanceof Connected connected) {
            connected.onCutOff(told::add);
        }
        assertDelivered(dispatch(letters(1)));
        assertThat(told).isEmpty();
        stop();
        if (destination instanceof Connected) {
            eventually().holds(() -> assertThat(told).as("what was told").isNotEmpty());
            assertThat(told).allSatisfy(why -> assertThat(why).isNotBlank());
        }
        assertDown(answer(begin(letters(1))));
    }

    @Test
    void it_can_be_closed_while_the_server_is_down() {
        stop();
        closeInTime(destination);
        assertDown(answer(begin(letters(1))));
    }

    // ---- words ------------------------------------------------------------------------------------------------------

    private void assertProbeFails() {
        assertThatThrownBy(() -> answer(probe(destination)))
                .hasMessageStartingWith(FAILED)
                .cause()
                .message()
                .as("why it is down")
                .isNotBlank();
    }

    private void assertTakesEvents() {
        listening();
        List<StoredEvent> events = letters(destination.profile().batch());
        assertDelivered(dispatch(events));
        assertArrived(events);
    }

    /** Where the server keeps nothing, the fixture has to listen again before something arrives. */
    private void listening() {
        if (!has(Limitation.KEEPS_NOTHING)) {
            return;
        }
        onTheServer().holds(() -> {
            List<StoredEvent> first = letters(1);
            assertDelivered(dispatch(first));
            assertThat(arrived(first)).isNotEmpty();
        });
    }
}
