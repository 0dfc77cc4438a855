package io.postrider.tck.destination;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.EventContext;
import io.postrider.Headers;
import io.postrider.Inbox;
import io.postrider.Postrider;
import io.postrider.destination.Destination;
import io.postrider.destination.Source;
import io.postrider.store.Store;
import io.postrider.tck.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/**
 * Two nodes with a broker in between: what one has in its outbox arrives in the other's inbox, and is handled there.
 *
 * @param <T> the stores' transaction handle
 */
public final class RoundTrip<T> implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int EVENTS = 200;
    private static final int KEYS = 7;
    private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private final Postrider<T> sender;
    private final Postrider<T> receiver;
    private final List<EventContext> handled = new CopyOnWriteArrayList<>();

    private RoundTrip(Store<T> outbox, Store<T> inbox) {
        this.sender = Postrider.on(outbox);
        this.receiver = Postrider.on(inbox);
        receiver.subscribe("readers")
                .on("letter.*", (payload, context) -> handled.add(context))
                .start();
    }

    public static <T> RoundTrip<T> between(Store<T> outbox, Store<T> inbox) {
        return new RoundTrip<>(outbox, inbox);
    }

    /** Where messages are stored by those who are called, as a webhook's receiver is. */
    public Inbox inbox() {
        return receiver.inbox();
    }

    /** Takes messages from this source. */
    public void receive(Source source) {
        receiver.receive(source);
    }

    /** Sends events, and says what is wrong with how they arrived: all, once, in order and with their headers. */
    public void assertArrives(Destination destination) throws Exception {
        sender.subscribe("relay").to("letter.*", destination).start();
        List<Event> events = IntStream.range(0, EVENTS)
                .mapToObj(number -> Event.of("letter.sent", number)
                        .key("key " + number % KEYS)
                        .correlationId("order " + number)
                        .header(Headers.TRACEPARENT, TRACE))
                .toList();
        sender.transaction(transaction -> sender.outbox().append(transaction, events));
        new Eventually(PATIENCE).holds(() -> assertThat(handled).hasSize(EVENTS));
        for (int key = 0; key < KEYS; key++) {
            assertThat(numbersOf("key " + key)).containsExactlyElementsOf(expected(key));
        }
        assertThat(handled).allSatisfy(context -> {
            assertThat(context.headers().get(Headers.TRACEPARENT)).contains(TRACE);
            assertThat(context.headers().get(Headers.CORRELATION_ID)).isPresent();
        });
    }

    private List<Integer> numbersOf(String key) {
        return handled.stream()
                .filter(context -> context.key().orElse("").equals(key))
                .map(context -> Integer.valueOf(context.headers()
                        .get(Headers.CORRELATION_ID)
                        .orElseThrow()
                        .substring("order ".length())))
                .toList();
    }

    private static List<Integer> expected(int key) {
        return IntStream.range(0, EVENTS)
                .filter(number -> number % KEYS == key)
                .boxed()
                .toList();
    }

    @Override
    public void close() {
        sender.close();
        receiver.close();
    }
}
