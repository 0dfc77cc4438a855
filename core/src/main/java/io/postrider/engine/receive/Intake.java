package io.postrider.engine.receive;

import io.postrider.Inbox;
import io.postrider.destination.Placed;
import io.postrider.wire.Incoming;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An inbox that also keeps the places its messages were taken from. Thread-safe. */
public interface Intake extends Inbox {

    /** Receives, and keeps the newest place of these messages in the same transaction. */
    Received receive(String source, List<Incoming> messages, Placed.@Nullable Place newest);

    /** Keeps a place of a reader, in a transaction of its own. */
    void place(String reader, Placed.Place place);

    /** The newest place that was kept for a reader. */
    Optional<Placed.Place> newest(String reader);
}
