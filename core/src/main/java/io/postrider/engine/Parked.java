package io.postrider.engine;

import io.postrider.spi.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A lane's delivery rows as its owner remembers them: per key in order, and none may run before the first has.
 *
 * <p>Dead rows are remembered only where they block their key. Not thread-safe: the lane guards it.
 */
final class Parked {
    private static final Comparator<Delivery> BY_DUE =
            Comparator.comparing(Delivery::dueAt).thenComparing(Delivery::position);

    private final SubscriptionSpec spec;
    private final Supplier<Instant> now;
    private final Map<Object, TreeMap<Long, Delivery>> byKey = new HashMap<>();
    private final TreeSet<Delivery> heads = new TreeSet<>(BY_DUE);
    private final Map<Object, Integer> running = new HashMap<>();
    /** Positions of rows that wait for nothing but their time. */
    private final Set<Long> delayed = new HashSet<>();

    private int waiting;

    Parked(SubscriptionSpec spec, Supplier<Instant> now) {
        this.spec = spec;
        this.now = now;
    }

    /** Rows that wait because something failed or is slow; not those that are wanted later. */
    int size() {
        return waiting - delayed.size();
    }

    void clear() {
        byKey.clear();
        heads.clear();
        running.clear();
        delayed.clear();
        waiting = 0;
    }

    boolean blocks(Object orderKey) {
        return byKey.containsKey(orderKey);
    }

    /**
     * Rows that may be claimed now: the first of a key, and those that follow it and wait for nothing else, so that a
     * key catches up as fast as any other. A suspect alone, so that nothing else dies with it.
     */
    List<Delivery> due(Instant now, int most) {
        List<Delivery> due = new ArrayList<>();
        for (Delivery head : heads) {
            if (head.dueAt().isAfter(now) || due.size() >= most) {
                break;
            }
            if (head.suspect()) {
                return List.of(head);
            }
            Objects.requireNonNull(byKey.get(spec.orderKey(head))).values().stream()
                    .takeWhile(row -> mayRun(row, now))
                    .limit(most - due.size())
                    .forEach(due::add);
        }
        return due;
    }

    private static boolean mayRun(Delivery row, Instant now) {
        return row.status() == Delivery.Status.RETRYING
                && !row.suspect()
                && !row.dueAt().isAfter(now);
    }

    /** How long it is until a row may be claimed, or this long if it is longer. */
    Duration untilDue(Instant now, Duration most) {
        if (heads.isEmpty() || heads.first().dueAt().isAfter(now.plus(most))) {
            return most;
        }
        Duration until = Duration.between(now, heads.first().dueAt());
        return until.isNegative() ? Duration.ZERO : until;
    }

    void put(Delivery row) {
        remove(row);
        if (spec.isQueue()) {
            return;
        }
        if (!row.waits() && !(row.status() == Delivery.Status.DEAD && spec.deadBlock())) {
            return;
        }
        countRunning(row, 1);
        changeKey(spec.orderKey(row), rows -> rows.put(row.position().value(), row));
        waiting += row.waits() ? 1 : 0;
        if (isDelayed(row)) {
            delayed.add(row.position().value());
        }
    }

    private boolean isDelayed(Delivery row) {
        return row.attempt() == 0
                && row.status() == Delivery.Status.RETRYING
                && row.dueAt().isAfter(now.get());
    }

    void remove(Delivery row) {
        Object orderKey = spec.orderKey(row);
        long position = row.position().value();
        TreeMap<Long, Delivery> rows = byKey.get(orderKey);
        Delivery known = rows == null ? null : rows.get(position);
        if (known == null) {
            return;
        }
        countRunning(known, -1);
        changeKey(orderKey, all -> all.remove(position));
        waiting -= known.waits() ? 1 : 0;
        delayed.remove(position);
    }

    private void countRunning(Delivery row, int change) {
        if (row.status() == Delivery.Status.RUNNING) {
            running.merge(spec.orderKey(row), change, (before, more) -> before + more == 0 ? null : before + more);
        }
    }

    /** The first row of a key may run, unless another one of the key does: a replay may come before one that runs. */
    private void changeKey(Object orderKey, Consumer<TreeMap<Long, Delivery>> change) {
        TreeMap<Long, Delivery> rows = byKey.computeIfAbsent(orderKey, key -> new TreeMap<>());
        if (!rows.isEmpty()) {
            heads.remove(rows.firstEntry().getValue());
        }
        change.accept(rows);
        if (rows.isEmpty()) {
            byKey.remove(orderKey);
        } else if (!running.containsKey(orderKey)
                && rows.firstEntry().getValue().status() == Delivery.Status.RETRYING) {
            heads.add(rows.firstEntry().getValue());
        }
    }
}
