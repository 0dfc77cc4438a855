package io.postrider.engine.dispatch;

import java.util.ArrayList;
import java.util.List;

/** What a worker knows of the flight it is in. */
final class EffectRun {
    final Flight flight;
    /** Events whose effect had been committed before. */
    final List<Item> repeated = new ArrayList<>(0);
    /** The events whose handler was called last. */
    List<Item> called = List.of();

    /** Whether each event is handled alone, because one of them may be at fault or may have had its effect. */
    boolean apart;
    /** Since when its transaction is open. */
    long openedNanos;

    /** Whether the settlement is on its way: whatever fails from then on, it may have been committed. */
    boolean sent;

    EffectRun(Flight flight, boolean apart) {
        this.flight = flight;
        this.apart = apart;
        this.openedNanos = flight.startedNanos();
    }

    /** Once more in a transaction that is opened now. */
    void again(long nanos) {
        apart = true;
        openedNanos = nanos;
        called = List.of();
        repeated.clear();
    }

    Batch batch() {
        return flight.batch();
    }

    /** The worker is done; false if the flight was given up before, and this worker with it. */
    boolean end() {
        boolean kept = sent || flight.transaction().end();
        flight.transaction().leave();
        return kept;
    }
}
