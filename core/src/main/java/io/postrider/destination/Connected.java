package io.postrider.destination;

import java.util.function.Consumer;

/** A destination that notices by itself when it is cut off, before anyone dispatches. */
public interface Connected extends Destination {

    /** Tells why, each time it is cut off, on any thread. */
    void onCutOff(Consumer<String> listener);
}
