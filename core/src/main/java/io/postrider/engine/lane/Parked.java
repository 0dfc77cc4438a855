package io.postrider.engine.lane;

import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.operate.Delivery;
import io.postrider.store.Park;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lane's delivery rows as its owner remembers them: per key in order, and none may run before the first has.
 *
 * <p>Only a part of the rows is here, at most {@code parkedHeld} keys. Rows that wait behind others stay in the store
 * until their key's turn comes. Of the rest those are here that are due before {@link #beyond}; later ones are read
 * when these run low. Dead rows are remembered only where they block their key. Not thread-safe: the lane guards it.
 */
public final class Parked {
    /** The next rows are read when less than this part of what may be held is left. */
    private static final int LOW_PART = 4;

    private static final Comparator<Delivery> BY_DUE =
            Comparator.comparing(Delivery::dueAt).thenComparing(Delivery::position);

    private static final TreeMap<Long, Delivery> NONE = new TreeMap<>();

    private final SubscriptionSpec spec;
    private final Supplier<Instant> now;
    private final int most;
    private final Map<Object, TreeMap<Long, Delivery>> byKey = new HashMap<>();
    private final TreeSet<Delivery> heads = new TreeSet<>(BY_DUE);
    private final Map<Object, Integer> running = new HashMap<>();
    /** Positions of rows that wait for nothing but their time. */
    private final Set<Long> delayed = new HashSet<>();
    /** Keys whose last row here is gone, while the store may have rows that waited behind it. */
    private final Set<String> ended = new LinkedHashSet<>();

    /** Keys whose rows behind others were left to the store again: one of them may have been the first by then. */
    private final Set<String> forgotten = new LinkedHashSet<>();

    private int waiting;
    private int dead;

    /** Rows that are due at or after this time are in the store alone; null where all are here. */
    private @Nullable Instant beyond;

    private boolean deadLeftOut;
    private long failingElsewhere;
    private long behind;
    /** Whether there were more rows behind others than the last look counted. */
    private boolean moreBehind;
    /** Whether another look at the store may bring other rows than the last one. */
    private boolean changed;

    public Parked(SubscriptionSpec spec, Supplier<Instant> now) {
        this.spec = spec;
        this.now = now;
        this.most = spec.limits().parkedHeld();
    }

    // ---- what is known ----------------------------------------------------------------------------------------------

    /** Rows that wait because something failed or is slow; not those that are wanted later, or wait behind others. */
    long size() {
        return waiting - delayed.size() + failingElsewhere;
    }

    /** Rows that wait behind others of their keys, as far as they were counted. */
    long behind() {
        return behind;
    }

    /** Whether at least so many rows wait behind others: while more do than were counted, they do for any number. */
    boolean hasBehind(long atLeast) {
        return moreBehind || behind >= atLeast;
    }

    boolean blocks(Object orderKey) {
        return byKey.containsKey(orderKey) || (orderKey instanceof String key && ended.contains(key));
    }

    /** Whether a row is here of the same key that comes before this one. */
    boolean isAheadOf(Delivery row) {
        TreeMap<Long, Delivery> rows = byKey.get(spec.orderKey(row));
        return rows != null && rows.firstKey() < row.position().value();
    }

    /** Whether the row of this event is here. */
    boolean has(Delivery row) {
        TreeMap<Long, Delivery> rows = byKey.get(spec.orderKey(row));
        return rows != null && rows.containsKey(row.position().value());
    }

    /**
     * Whether every key that has a row is known here. Rows behind others are in the store alone, and the row before
     * them is not always here: an operator may have replayed or let go an event of which the owner has not heard yet.
     */
    boolean knowsBlockedKeys() {
        return beyond == null && !deadLeftOut && !hasBehind(1);
    }

    /** Whether rows are due of which the store alone knows. */
    boolean isCrowded() {
        return beyond != null && !beyond.isAfter(now.get());
    }

    /** Whether there is room for rows that the store alone knows, or rows behind others are to be counted again. */
    boolean wantsWindow() {
        boolean hasRoom = beyond != null && changed && heads.size() <= most / LOW_PART;
        return hasRoom || (moreBehind && behind <= spec.view().count() / 2);
    }

    /** Some keys of which it has to be asked whether rows follow. */
    public List<String> ended(int most) {
        return ended.stream().limit(most).toList();
    }

    /**
     * Rows that may be claimed now: the first of a key, and those that follow it and wait for nothing else, so that a
     * key catches up as fast as any other. A suspect alone, so that nothing else dies with it.
     */
    public List<Delivery> due(Instant now, int most) {
        List<Delivery> due = new ArrayList<>();
        for (Delivery head : heads) {
            if (head.dueAt().isAfter(now) || due.size() >= most) {
                break;
            }
            if (head.suspect()) {
                return List.of(head);
            }
            Objects.requireNonNull(byKey.get(spec.orderKey(head))).values().stream()
                    .takeWhile(row -> mayRun(row, now) && (row.equals(head) || followsAtOnce(row)))
                    .limit(most - due.size())
                    .forEach(due::add);
        }
        return due;
    }

    private static boolean mayRun(Delivery row, Instant now) {
        return isWaiting(row) && !row.suspect() && !row.dueAt().isAfter(now);
    }

    /** Whether no row in the store can come between this one and the one before it. */
    private boolean followsAtOnce(Delivery row) {
        return row.behind() || !hasBehind(1);
    }

    /** How long it is until a row may be claimed or looked for, or this long if it is longer. */
    Duration untilDue(Instant now, Duration most) {
        if (!ended.isEmpty() || wantsWindow()) {
            return Duration.ZERO;
        }
        if (heads.isEmpty() || heads.first().dueAt().isAfter(now.plus(most))) {
            return most;
        }
        Duration until = Duration.between(now, heads.first().dueAt());
        return until.isNegative() ? Duration.ZERO : until;
    }

    // ---- what the store says ----------------------------------------------------------------------------------------

    /** Takes over what is stored, in place of what was known. */
    void load(Park.Window window) {
        byKey.forEach(this::lookIfTheStoreHasThemBehind);
        byKey.clear();
        heads.clear();
        running.clear();
        delayed.clear();
        waiting = 0;
        dead = 0;
        window.rows().forEach(this::keep);
        beyond = window.beyond();
        deadLeftOut = window.deadLeftOut();
        long failingHere = window.rows().stream().filter(Parked::fails).count();
        failingElsewhere = beyond == null ? 0 : Math.max(0, window.failing() - failingHere);
        behind = window.behind();
        moreBehind = behind >= spec.view().count();
        changed = window.demoted() > 0;
        ended.removeIf(byKey::containsKey);
    }

    /**
     * A key that catches up has rows here that wait behind others in the store, although those are gone by now. Once
     * its rows are not here any more, no look by time finds them: only one by their key.
     */
    private void lookIfTheStoreHasThemBehind(Object orderKey, TreeMap<Long, Delivery> rows) {
        if (orderKey instanceof String key && rows.firstEntry().getValue().behind()) {
            ended.add(key);
        }
    }

    private static boolean fails(Delivery row) {
        return isWaiting(row) && row.attempt() > 0;
    }

    /** Takes over the first rows of keys, in their order; there are none of keys that wait for nothing any more. */
    void followed(List<String> keys, List<Delivery> rows) {
        keys.forEach(ended::remove);
        Set<Object> seen = new HashSet<>();
        for (Delivery row : rows) {
            Object orderKey = spec.orderKey(row);
            if (!seen.add(orderKey)) {
                if (byKey.containsKey(orderKey)) {
                    remove(row);
                    keep(row);
                }
                continue;
            }
            behind -= row.behind() ? 1 : 0;
            Delivery first = row.behind(false);
            if (isElsewhere(first)) {
                failingElsewhere += row.behind() && fails(first) ? 1 : 0;
                leave(orderKey, Parked::isWaiting);
            } else {
                remove(first);
                keep(first);
            }
        }
        changed = true;
        evict();
    }

    // ---- what the owner does ----------------------------------------------------------------------------------------

    /** A row runs from now on. */
    void claimed(Delivery row) {
        TreeMap<Long, Delivery> rows = byKey.get(spec.orderKey(row));
        Delivery known = rows == null ? null : rows.get(row.position().value());
        behind -= known != null && known.behind() ? 1 : 0;
        remove(row);
        keep(row);
    }

    /** These rows have been settled. */
    public void settled(List<Delivery> gone, List<Delivery> rows) {
        Set<Object> touched = new LinkedHashSet<>();
        Set<Object> elsewhere = new HashSet<>(0);
        for (Delivery row : gone) {
            remove(row);
            touched.add(spec.orderKey(row));
        }
        for (Delivery row : rows) {
            put(row);
            Object orderKey = spec.orderKey(row);
            if (!row.behind() && isElsewhere(row)) {
                elsewhere.add(orderKey);
            }
            boolean followsNobody = row.behind() && !byKey.containsKey(orderKey) && !elsewhere.contains(orderKey);
            if (!row.waits() || followsNobody) {
                touched.add(orderKey);
            }
        }
        touched.forEach(this::lookIfRowsMayFollow);
        forgotten.stream().filter(key -> !byKey.containsKey(key)).forEach(ended::add);
        forgotten.clear();
        changed = true;
    }

    /** Where the next row of a key is not known here, or only one that rows in the store may come before. */
    private void lookIfRowsMayFollow(Object orderKey) {
        Map.Entry<Long, Delivery> first = byKey.getOrDefault(orderKey, NONE).firstEntry();
        boolean mayFollow = first == null
                || (isWaiting(first.getValue()) && !first.getValue().behind());
        if (mayFollow && hasBehind(1) && orderKey instanceof String key) {
            leave(key, Parked::isWaiting);
            ended.add(key);
        }
    }

    private static boolean isWaiting(Delivery row) {
        return row.status() == Delivery.Status.WAITING;
    }

    /** Leaves rows of a key to the store, because one before them is not here; whether there were any. */
    private boolean leave(Object orderKey, Predicate<Delivery> which) {
        List<Delivery> left = byKey.getOrDefault(orderKey, NONE).values().stream()
                .filter(which)
                .toList();
        left.forEach(this::remove);
        return !left.isEmpty();
    }

    private void put(Delivery row) {
        remove(row);
        if (!spec.rows().includes(row)) {
            return;
        }
        Object orderKey = spec.orderKey(row);
        if (isWaiting(row) && orderKey instanceof String key && leave(key, Delivery::behind)) {
            // Rows behind a row that waits stay in the store, so that a retry does not claim them.
            forgotten.add(key);
        }
        if (row.behind()) {
            behind++;
            return;
        }
        boolean isOneTooMany = row.status() == Delivery.Status.DEAD && dead >= most;
        deadLeftOut |= isOneTooMany;
        if (isOneTooMany || isElsewhere(row)) {
            failingElsewhere += fails(row) ? 1 : 0;
            leave(orderKey, Parked::isWaiting);
        } else {
            keep(row);
            evict();
        }
    }

    private boolean isElsewhere(Delivery row) {
        return beyond != null && isWaiting(row) && !row.dueAt().isBefore(beyond);
    }

    /** Leaves those to the store that are due last. */
    private void evict() {
        while (heads.size() > most) {
            Delivery last = heads.last();
            beyond = beyond == null || last.dueAt().isBefore(beyond) ? last.dueAt() : beyond;
            TreeMap<Long, Delivery> rows = Objects.requireNonNull(byKey.get(spec.orderKey(last)));
            lookIfTheStoreHasThemBehind(spec.orderKey(last), rows);
            for (Delivery row : List.copyOf(rows.values())) {
                remove(row);
                failingElsewhere += fails(row) && !row.behind() ? 1 : 0;
                deadLeftOut |= row.status() == Delivery.Status.DEAD;
            }
        }
    }

    // ---- rows that are here -----------------------------------------------------------------------------------------

    private void keep(Delivery row) {
        countRunning(row, 1);
        changeKey(spec.orderKey(row), rows -> rows.put(row.position().value(), row));
        waiting += isCounted(row) ? 1 : 0;
        dead += row.status() == Delivery.Status.DEAD ? 1 : 0;
        if (isDelayed(row)) {
            delayed.add(row.position().value());
        }
    }

    private static boolean isCounted(Delivery row) {
        return row.waits() && !row.behind();
    }

    private boolean isDelayed(Delivery row) {
        return isCounted(row)
                && row.attempt() == 0
                && isWaiting(row)
                && row.dueAt().isAfter(now.get());
    }

    private void remove(Delivery row) {
        Object orderKey = spec.orderKey(row);
        long position = row.position().value();
        TreeMap<Long, Delivery> rows = byKey.get(orderKey);
        Delivery known = rows == null ? null : rows.get(position);
        if (known == null) {
            return;
        }
        countRunning(known, -1);
        changeKey(orderKey, all -> all.remove(position));
        waiting -= isCounted(known) ? 1 : 0;
        dead -= known.status() == Delivery.Status.DEAD ? 1 : 0;
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
        } else if (!running.containsKey(orderKey) && isWaiting(rows.firstEntry().getValue())) {
            heads.add(rows.firstEntry().getValue());
        }
    }
}
