package io.postrider.observability;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Event types as labels. Every label value is a time series for ever, and types may come from outside: those beyond the
 * limit share one. Thread-safe.
 */
final class TypeLabels {
    /** The label of all types beyond the limit. */
    static final String OTHER = "other";

    private final int limit;
    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private volatile boolean full;

    TypeLabels(int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("the number of event types with a label is not negative, got " + limit);
        }
        this.limit = limit;
        this.full = limit == 0;
    }

    String of(String type) {
        return known.contains(type) || (!full && admit(type)) ? type : OTHER;
    }

    private synchronized boolean admit(String type) {
        if (full) {
            return known.contains(type);
        }
        known.add(type);
        full = known.size() >= limit;
        return true;
    }
}
