package io.postrider.engine.receive;

import io.postrider.destination.Placed;
import io.postrider.destination.Source;
import io.postrider.engine.base.Observers;
import io.postrider.observe.Observation;
import io.postrider.text.Logs;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** What the store keeps of a source for one reader. Thread-safe. */
final class SourceMemory implements Placed.Memory {
    private static final Logger LOG = Logs.of(SourceMemory.class);

    private final String source;
    private final String reader;
    private final Intake intake;
    private final Duration keptFor;
    private final Observers observers;

    private SourceMemory(String source, String reader, Intake intake, Duration keptFor, Observers observers) {
        this.source = source;
        this.reader = reader;
        this.intake = intake;
        this.keptFor = keptFor;
        this.observers = observers;
    }

    /** Gives a source that can go back the memory of its reader. */
    static void give(Source source, String reader, Intake intake, Duration keptFor, Observers observers) {
        if (source instanceof Placed placed) {
            placed.remember(new SourceMemory(source.name(), reader, intake, keptFor, observers));
        }
    }

    /** The newest place of these messages; null where their source knows none. */
    static Placed.@Nullable Place newest(List<Source.Arrival> arrivals) {
        return arrivals.stream()
                .filter(Placed.PlacedArrival.class::isInstance)
                .map(arrival -> ((Placed.PlacedArrival) arrival).place())
                .max(Placed.Place::compareTo)
                .orElse(null);
    }

    @Override
    public Optional<Placed.Place> newest() {
        return intake.newest(reader);
    }

    @Override
    public Duration keptFor() {
        return keptFor;
    }

    @Override
    public void wentBack(Placed.Place end, String why) {
        intake.place(reader, end);
        LOG.warn("Source '{}' had gone back: {}", source, why);
        observers.observe(new Observation.SourceWentBack(source, why));
    }
}
