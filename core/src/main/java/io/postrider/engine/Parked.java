package io.postrider.engine;

import io.postrider.AfterDead;
import io.postrider.spi.Delivery;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A lane's delivery rows as its owner remembers them: per key in order, and of each key only the first may run.
 *
 * <p>Dead rows are remembered only where they block their key. Not thread-safe: the lane guards it.
 */
final class Parked {
    private static final Comparator<Delivery> BY_DUE =
            Comparator.comparing(Delivery::dueAt).thenComparing(Delivery::position);

    private final SubscriptionSpec spec;
    private final Map<Object, TreeMap<Long, Delivery>> byKey = new HashMap<>();
    private final TreeSet<Delivery> heads = new TreeSet<>(BY_DUE);
    private final Map<Object, Integer> running = new HashMap<>();
    private int waiting;

    Parked(SubscriptionSpec spec) {
        this.spec = spec;
    }

    /** Rows that are not dead. */
    int size() {
        return waiting;
    }

    boolean blocks(Object orderKey) {
        return byKey.containsKey(orderKey);
    }

    /** Rows that may be claimed now, each the first of its key; a suspect alone, so that nothing else dies with it. */
    List<Delivery> due(Instant now, int most) {
        List<Delivery> due = new ArrayList<>();
        for (Delivery head : heads) {
            if (head.dueAt().isAfter(now)) {
                break;
            }
            if (head.suspect()) {
                return List.of(head);
            }
            if (due.size() >= most) {
                break;
            }
            due.add(head);
        }
        return due;
    }

    /** When the next row may be claimed. */
    Optional<Instant> nextDue() {
        return heads.isEmpty() ? Optional.empty() : Optional.of(heads.first().dueAt());
    }

    void put(Delivery row) {
        remove(row);
        boolean dead = row.status() == Delivery.Status.DEAD;
        if (dead && spec.afterDead() == AfterDead.GO_ON) {
            return;
        }
        countRunning(row, 1);
        changeKey(spec.orderKey(row), rows -> rows.put(row.position().value(), row));
        waiting += dead ? 0 : 1;
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
        boolean dead = known.status() == Delivery.Status.DEAD;
        waiting -= dead ? 0 : 1;
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
