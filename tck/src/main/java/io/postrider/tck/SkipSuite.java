package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Postrider;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.operate.Counts;
import io.postrider.operate.Search;
import io.postrider.operate.Story;
import io.postrider.operate.Why;
import io.postrider.policy.Start;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a subscription has skipped although its filter takes it is not told as delivered. */
public abstract class SkipSuite<T> extends EngineCase<T> {
    private final Broker broker = new Broker();

    @Test
    void an_event_that_its_destination_skips_is_declined_and_not_delivered() {
        broker.answer(dispatch -> LaneReader.text(dispatch.event()).equals("b") ? Outcome.SKIPPED : null);
        Postrider<T> node = toBroker();
        send(node, "ann", "a");
        send(node, "ann", "b");
        send(node, "ann", "c");
        assertLedger(new Counts(2, 1, 0, 0, 0, 0), 0);
        assertThat(why("a")).isInstanceOf(Why.Delivered.class);
        assertThat(why("b"))
                .isInstanceOfSatisfying(
                        Why.Declined.class, why -> assertThat(why.at()).isNotNull());
        assertThat(store.search().story(event("b").id()).orElseThrow().standings())
                .singleElement()
                .satisfies(standing -> {
                    assertThat(standing.why()).isInstanceOf(Why.Declined.class);
                    assertThat(standing.attempts())
                            .extracting(Story.Attempt::ending)
                            .containsExactly(Story.Ending.SKIPPED);
                });
        assertThat(texts(Search.State.DELIVERED)).containsExactly("c", "a");
        assertThat(texts(Search.State.SKIPPED)).containsExactly("b");
    }

    @Test
    void an_event_that_its_destination_skips_after_a_retry_is_declined_too() {
        broker.answer(dispatch -> dispatch.attempt() == 1 ? Outcome.retry("busy") : Outcome.SKIPPED);
        Postrider<T> node = toBroker();
        send(node, "ann", "a");
        assertLedger(new Counts(0, 1, 0, 0, 0, 0), 0);
        assertThat(why("a")).isInstanceOf(Why.Declined.class);
        assertThat(store.search()
                        .story(event("a").id())
                        .orElseThrow()
                        .standings()
                        .get(0)
                        .attempts())
                .extracting(Story.Attempt::ending)
                .containsExactly(Story.Ending.RETRYING, Story.Ending.SKIPPED);
    }

    @Test
    void an_event_for_another_subscription_alone_is_told_as_such_before_and_after_it_was_skipped() {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "letter.*");
        Postrider<T> appending = node();
        send(appending, List.of(letter("ann", "theirs").header(Headers.ONLY_FOR, "other")));
        EventId id = event("theirs").id();
        assertThat(store.search().why(SUBSCRIPTION, id)).isEqualTo(new Why.OnlyFor("other"));
        assertThat(texts(Search.State.PENDING)).isEmpty();
        toBroker();
        assertLedger(new Counts(0, 1, 0, 0, 0, 0), 0);
        assertThat(store.search().why(SUBSCRIPTION, id)).isEqualTo(new Why.OnlyFor("other"));
        assertThat(store.search().story(id).orElseThrow().standings())
                .extracting(Story.Standing::why)
                .containsExactly(new Why.OnlyFor("other"));
        assertThat(texts(Search.State.DELIVERED)).isEmpty();
        assertThat(texts(Search.State.SKIPPED)).containsExactly("theirs");
    }

    // ---- words ------------------------------------------------------------------------------------------------------

    private Postrider<T> toBroker() {
        Postrider<T> node = node(config(quick()));
        node.subscribe(SUBSCRIPTION).to("letter.*", broker).retry(QUICK).start();
        return node;
    }

    private Why why(String text) {
        return store.search().why(SUBSCRIPTION, event(text).id());
    }

    private StoredEvent event(String text) {
        return store.search().events(EventFilter.ALL, null, 100).events().stream()
                .filter(event -> LaneReader.text(event).equals(text))
                .findFirst()
                .orElseThrow();
    }

    private List<String> texts(Search.State state) {
        return store.search().deliveries(SUBSCRIPTION, state, EventFilter.ALL, null, 100).events().stream()
                .map(LaneReader::text)
                .toList();
    }
}
