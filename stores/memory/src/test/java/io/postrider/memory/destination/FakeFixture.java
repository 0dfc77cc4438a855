package io.postrider.memory.destination;

import io.postrider.Event;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.tck.destination.DestinationFixture;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** A fake broker and destinations to it, sound or broken. */
final class FakeFixture implements DestinationFixture {
    private final Set<Limitation> limitations;
    private final Function<FakeBroker, Destination> make;
    private final Duration patience;
    private final FakeBroker broker;

    FakeFixture(Set<Limitation> limitations, Function<FakeBroker, Destination> make) {
        this(limitations, make, Duration.ofSeconds(20));
    }

    FakeFixture(Set<Limitation> limitations, Function<FakeBroker, Destination> make, Duration patience) {
        this.limitations = limitations;
        this.patience = patience;
        this.make = make;
        this.broker = new FakeBroker(!limitations.contains(Limitation.DOES_NOT_DEDUPLICATE));
    }

    static FakeDestination sound(FakeBroker broker) {
        return new FakeDestination(broker, FakeDestination.PROFILE.patience());
    }

    @Override
    public Destination open() {
        return make.apply(broker);
    }

    @Override
    public List<Arrived> arrived() {
        return broker.stored().stream().map(FakeFixture::arrived).toList();
    }

    private static Arrived arrived(StoredEvent event) {
        return new Arrived(
                event.id().toString(),
                event.type(),
                event.key(),
                event.payload(),
                event.headers().values());
    }

    @Override
    public void stopServer() {
        broker.stop();
    }

    @Override
    public void startServer() {
        broker.start();
    }

    @Override
    public void pauseServer() {
        require(Limitation.CANNOT_BE_PAUSED);
        broker.pause();
    }

    @Override
    public void resumeServer() {
        broker.resume();
    }

    @Override
    public Event refused() {
        require(Limitation.REFUSES_NOTHING);
        return Event.of(FakeBroker.REFUSED_TYPE, "moo").key("cow");
    }

    private void require(Limitation limitation) {
        if (limitations.contains(limitation)) {
            throw new UnsupportedOperationException(limitation.name());
        }
    }

    @Override
    public String refusal() {
        return FakeBroker.REFUSAL;
    }

    @Override
    public Set<Limitation> limitations() {
        return limitations;
    }

    @Override
    public Duration patience() {
        return patience;
    }

    @Override
    public void close() {
        broker.close();
    }
}
