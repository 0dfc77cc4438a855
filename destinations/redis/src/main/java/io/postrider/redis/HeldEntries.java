package io.postrider.redis;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Entries that were answered "not now", and when each is to be given again. Thread-safe. */
final class HeldEntries {
    private final Map<String, Long> dueNanos = new LinkedHashMap<>();

    synchronized void hold(String id, long dueAtNanos) {
        dueNanos.put(id, dueAtNanos);
        notifyAll();
    }

    synchronized void forget(String id) {
        dueNanos.remove(id);
    }

    synchronized int size() {
        return dueNanos.size();
    }

    synchronized List<String> ids() {
        return List.copyOf(dueNanos.keySet());
    }

    /** Those whose time has come, which are not held any longer. */
    synchronized List<String> takeDue(int most) {
        long now = System.nanoTime();
        List<String> due = dueNanos.entrySet().stream()
                .filter(entry -> entry.getValue() - now <= 0)
                .limit(most)
                .map(Map.Entry::getKey)
                .toList();
        due.forEach(dueNanos::remove);
        return due;
    }

    /** How long until the next is due; at most {@code most}. */
    synchronized long nanosToNext(long most) {
        long now = System.nanoTime();
        return dueNanos.values().stream()
                .mapToLong(due -> Math.max(0, due - now))
                .reduce(most, Math::min);
    }

    /** Waits until the next is due, for this long at most. */
    synchronized void await(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.timedWait(this, Math.max(nanosToNext(nanos), TimeUnit.MILLISECONDS.toNanos(1)));
    }
}
