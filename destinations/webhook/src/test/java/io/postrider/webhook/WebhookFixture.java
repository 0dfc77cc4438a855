package io.postrider.webhook;

import io.postrider.Event;
import io.postrider.Payload;
import io.postrider.destination.Destination;
import io.postrider.tck.destination.DestinationFixture;
import io.postrider.wire.Encoding;
import io.postrider.wire.Incoming;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Our own receiver in an HTTP server: what it verifies, it stores once by its id, as an inbox does. */
final class WebhookFixture implements DestinationFixture {
    private static final String REFUSED = "letter.forbidden";

    private final Encoding encoding;
    private final Map<String, Arrived> arrived = new LinkedHashMap<>();
    private final PostOffice office;

    WebhookFixture(Encoding encoding, Reading reading) {
        this.encoding = encoding;
        WebhookReceiver receiver =
                WebhookReceiver.of(ReceiverConfig.of(Letters.SECRET).reading(reading));
        this.office = PostOffice.handledBy(receiver.handler(this::store));
    }

    private void store(List<Incoming> messages) {
        for (Incoming incoming : messages) {
            Event event = incoming.event();
            if (event.type().equals(REFUSED)) {
                throw new IllegalArgumentException("nobody here takes '" + REFUSED + "'");
            }
            synchronized (arrived) {
                arrived.putIfAbsent(incoming.id(), arrived(incoming.id(), event));
            }
        }
    }

    private static Arrived arrived(String id, Event event) {
        return new Arrived(
                id,
                event.type(),
                event.key(),
                ((Payload.Json) event.payload()).text(),
                event.headers().values());
    }

    @Override
    public Destination open() {
        EndpointLimits limits =
                EndpointLimits.DEFAULT.concurrency(8).timeouts(Duration.ofSeconds(2), Duration.ofSeconds(4));
        return WebhookDestination.of(WebhookConfig.to(EndpointConfig.of(office.url("/letters"), Letters.SECRET)
                        .limits(limits))
                .encoding(encoding)
                .reach(Reach.publicOnly().allow("localhost")));
    }

    @Override
    public List<Arrived> arrived() {
        synchronized (arrived) {
            return List.copyOf(arrived.values());
        }
    }

    @Override
    public void stopServer() {
        office.stop();
    }

    @Override
    public void startServer() {
        office.startAgain();
    }

    @Override
    public void pauseServer() {
        throw new UnsupportedOperationException("the server is in this process");
    }

    @Override
    public void resumeServer() {
        throw new UnsupportedOperationException("the server is in this process");
    }

    @Override
    public Event refused() {
        return Event.of(REFUSED, Payload.json("{}")).key("eve");
    }

    @Override
    public String refusal() {
        return "nobody here takes 'letter.forbidden'";
    }

    @Override
    public Set<Limitation> limitations() {
        return Set.of(Limitation.CANNOT_BE_PAUSED);
    }

    @Override
    public void close() {
        office.close();
    }
}
