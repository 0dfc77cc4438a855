package io.postrider.observability;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.postrider.observe.Observation;
import java.util.concurrent.atomic.AtomicInteger;

/** The meters of one source. Thread-safe. */
final class SourceMeters {
    private final Counter stored;
    private final Counter repeated;
    private final Counter setAside;
    private final Counter wentBack;
    private final AtomicInteger down = new AtomicInteger();

    SourceMeters(LogRegistry registry, String source) {
        Tags tags = Tags.of("source", source);
        this.stored = registry.counter("postrider.received", "Messages stored by this node", tags);
        this.repeated = registry.counter(
                "postrider.received.repeated", "Messages that came again after they had been stored", tags);
        this.setAside = registry.counter(
                "postrider.received.aside",
                "Messages kept aside, because they are no events or no handler could deal with them",
                tags);
        this.wentBack = registry.counter(
                "postrider.source.went.back",
                "How often the stream of the source had lost its end, and was read again from before",
                tags);
        registry.gauge(
                "postrider.source.down",
                null,
                "1 while the source does not answer this node",
                tags,
                down,
                AtomicInteger::get);
    }

    void received(Observation.Received received) {
        stored.increment(received.stored());
        repeated.increment(received.repeated());
    }

    void setAside() {
        setAside.increment();
    }

    void wentBack() {
        wentBack.increment();
    }

    void down(boolean value) {
        down.set(value ? 1 : 0);
    }
}
