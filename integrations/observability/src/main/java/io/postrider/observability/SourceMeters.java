package io.postrider.observability;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.postrider.Observation;
import java.util.concurrent.atomic.AtomicInteger;

/** The meters of one source. Thread-safe. */
final class SourceMeters {
    private final Counter stored;
    private final Counter repeated;
    private final Counter setAside;
    private final AtomicInteger down = new AtomicInteger();

    SourceMeters(MeterRegistry registry, String source) {
        this.stored = Counter.builder("postrider.received")
                .description("Messages stored by this node")
                .tag("source", source)
                .register(registry);
        this.repeated = Counter.builder("postrider.received.repeated")
                .description("Messages that came again after they had been stored")
                .tag("source", source)
                .register(registry);
        this.setAside = Counter.builder("postrider.received.aside")
                .description("Messages kept aside, because they are no events or no handler could deal with them")
                .tag("source", source)
                .register(registry);
        Gauge.builder("postrider.source.down", down, AtomicInteger::get)
                .description("1 while the source does not answer this node")
                .tag("source", source)
                .strongReference(true)
                .register(registry);
    }

    void received(Observation.Received received) {
        stored.increment(received.stored());
        repeated.increment(received.repeated());
    }

    void setAside() {
        setAside.increment();
    }

    void down(boolean value) {
        down.set(value ? 1 : 0);
    }
}
