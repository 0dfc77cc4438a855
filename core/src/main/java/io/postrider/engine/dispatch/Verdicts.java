package io.postrider.engine.dispatch;

import io.postrider.Environment;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.StoreTime;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.policy.RetryPolicy;
import io.postrider.store.Cursor;
import io.postrider.store.Seals;
import io.postrider.store.Settlement;
import io.postrider.text.Thrown;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the events of a batch came to, gathered into one settlement. The one place where an {@link Outcome} is
 * interpreted.
 */
public final class Verdicts {
    private final SubscriptionSpec spec;
    private final Environment environment;
    private final List<Delivery> changed = new ArrayList<>();
    private final List<Delivery> settled = new ArrayList<>();
    /** What must stay in order with rows that are kept: later rows of the same wait behind these. */
    private final Set<Object> kept;

    /** Of events whose rows have changed, for observers. */
    private final Map<EventId, Headers> headers = new HashMap<>(0);

    /** What failed in this batch, for the log. */
    private final List<Failed> failed = new ArrayList<>(0);

    private final BatchSeals seals;
    private final List<Long> found = new ArrayList<>(0);
    private final List<Settlement.Declined> declined = new ArrayList<>(0);
    /** Rows as they were, of those that had to be written in plainer words. */
    private final List<Delivery> replaced = new ArrayList<>(0);

    private long delivered;
    private long skipped;
    private long parked;
    private long dead;
    private long expired;

    public Verdicts(SubscriptionSpec spec, Environment environment) {
        this(spec, environment, Set.of());
    }

    /** @param kept what has rows already that were kept: later rows of the same wait behind these */
    public Verdicts(SubscriptionSpec spec, Environment environment, Set<Object> kept) {
        this(spec, environment, kept, new BatchSeals());
    }

    private Verdicts(SubscriptionSpec spec, Environment environment, Set<Object> kept, BatchSeals seals) {
        this.kept = new HashSet<>(kept);
        this.spec = spec;
        this.environment = environment;
        this.seals = seals;
    }

    /** Of these events. */
    static Verdicts of(List<Item> items, SubscriptionSpec spec, Environment environment) {
        Verdicts verdicts = new Verdicts(spec, environment);
        items.forEach(verdicts::add);
        return verdicts;
    }

    public List<Delivery> changed() {
        return changed;
    }

    /** An attempt that failed, the first of its event or a later one, and the exception that led to it, if one did. */
    record Failed(Delivery row, boolean first, @Nullable Thrown thrown) {}

    List<Failed> failed() {
        return failed;
    }

    public List<Delivery> settled() {
        return settled;
    }

    /** Notes an event of a batch as it stands now. */
    public void add(Item item) {
        int rows = changed.size();
        judge(item);
        if (changed.size() > rows) {
            headers.put(item.event.id(), item.event.headers());
        }
    }

    private void judge(Item item) {
        if (item.straggler) {
            keep(rowOf(item).running(item.attempt), item.row == null); // its outcome, if it has one by now, comes later
            return;
        }
        switch (item.state) {
            case DECIDED -> decided(item);
            case STARTED -> keep(rowOf(item).running(item.attempt), item.row == null);
            case UNSTARTED, WAITING, BLOCKED -> keep(notDispatched(rowOf(item)).behind(item.behind), item.row == null);
        }
    }

    private void decided(Item item) {
        seals.add(item);
        Delivery row = item.row;
        item.outcome()
                .match(
                        row != null
                                ? new Judge(judged(row, item.outcome()), item.attempt)
                                : new Judge(
                                        () -> rowOf(item), item.event.position(), item.attempt, true, item.isRouted()));
    }

    /** Only an attempt that has ended clears a suspect. */
    public static Delivery judged(Delivery row, Outcome outcome) {
        return outcome.isPutOff() ? row : row.cleared();
    }

    private Delivery rowOf(Item item) {
        Delivery row = item.row != null ? item.row : Delivery.parked(item.event, environment.now(), false);
        return item.suspect ? row.suspected() : row;
    }

    /** Notes the outcome of an event that has a row already, and its headers if they are known. */
    public void finished(Delivery row, @Nullable Headers of, Outcome outcome) {
        if (of != null) {
            headers.put(row.id(), of);
        }
        outcome.match(new Judge(row, row.attempt()));
    }

    /** The same of one that ended after its batch. */
    public void finished(Delivery row, Item item) {
        seals.add(item);
        finished(row, item.event.headers(), item.outcome());
    }

    /** Parks events again that a destination has lost, by their positions: they had counted as delivered. */
    public void found(List<Seals.Lost> lost, List<Delivery> rows) {
        rows.forEach(this::park);
        delivered -= rows.size();
        lost.forEach(one -> found.add(one.number()));
    }

    /** Parks an event that was not dispatched. */
    public void park(Delivery row) {
        keep(row, true);
    }

    /** A task goes back as it was: no dispatch of it began. */
    public void putBack(Delivery row) {
        keep(row.waiting(Math.max(0, row.attempt() - 1), environment.now(), row.error()), false);
    }

    /** The effect of each outcome on the counts, and on the event's row. */
    private final class Judge implements Outcome.Cases<Verdicts> {
        private final Supplier<Delivery> row;
        private final Position position;
        private final int attempt;
        private final boolean isNew;
        private final boolean declines;

        /** @param row makes the row of an event that has none yet, where its outcome needs one */
        Judge(Supplier<Delivery> row, Position position, int attempt, boolean isNew, boolean declines) {
            this.row = row;
            this.position = position;
            this.attempt = attempt;
            this.isNew = isNew;
            this.declines = declines;
        }

        Judge(Delivery row, int attempt) {
            this(() -> row, row.position(), attempt, false, true);
        }

        @Override
        public Verdicts delivered(Outcome.Delivered outcome) {
            delivered++;
            return done();
        }

        @Override
        public Verdicts skipped(Outcome.Skipped outcome) {
            skipped++;
            if (declines) {
                declined.add(new Settlement.Declined(position, attempt));
            }
            return done();
        }

        private Verdicts done() {
            if (!isNew) {
                settled.add(row.get());
                parked--;
            }
            return Verdicts.this;
        }

        @Override
        public Verdicts retry(Outcome.Retry outcome) {
            Verdicts.this.retry(row.get(), attempt, outcome, isNew);
            return Verdicts.this;
        }

        @Override
        public Verdicts dead(Outcome.Dead outcome) {
            bury(row.get(), attempt, outcome.why(), outcome.thrown(), isNew);
            return Verdicts.this;
        }

        @Override
        public Verdicts expired(Outcome.Expired outcome) {
            changed.add(row.get().expired(attempt));
            expired++;
            parked -= isNew ? 0 : 1;
            return Verdicts.this;
        }

        @Override
        public Verdicts down(Outcome.Down outcome) {
            Delivery before = row.get();
            keep(before.waiting(Math.max(0, attempt - 1), environment.now(), before.error()), isNew);
            return Verdicts.this;
        }
    }

    private void retry(Delivery row, int attempt, Outcome.Retry retry, boolean isNew) {
        RetryPolicy policy = spec.retryFor(row.type());
        if (retry.counts() && attempt >= policy.attempts()) {
            bury(row, attempt, retry.why(), retry.thrown(), isNew);
            return;
        }
        Instant now = environment.now();
        Instant at = retry.at() != null ? retry.at() : now.plus(policy.pause(attempt, environment.random()));
        at = at.isAfter(now.plus(StoreTime.RETRY_WITHIN)) ? now.plus(StoreTime.RETRY_WITHIN) : at;
        if (retry.counts()) {
            Delivery left = row.waiting(attempt, at, retry.why()).stack(stack(retry.thrown()));
            failed.add(new Failed(left, isNew || attempt == 1, retry.thrown()));
            keep(left, isNew);
        } else {
            keep(row.waiting(Math.max(0, attempt - 1), at, retry.why()), isNew);
        }
    }

    private static @Nullable String stack(@Nullable Thrown thrown) {
        return thrown == null ? null : thrown.stack();
    }

    private void bury(Delivery row, int attempt, String why, @Nullable Thrown thrown, boolean isNew) {
        Delivery left = row.dead(attempt, why).stack(stack(thrown));
        failed.add(new Failed(left, isNew || attempt == 1, thrown));
        changed.add(left);
        if (spec.deadBlock()) {
            kept.add(spec.orderKey(row));
        }
        dead++;
        parked -= isNew ? 0 : 1;
    }

    private void keep(Delivery row, boolean isNew) {
        boolean follows = !kept.add(spec.orderKey(row)) && row.status() == Delivery.Status.WAITING;
        changed.add(follows && !spec.isQueue() ? row.behind(true) : row);
        parked += isNew ? 1 : 0;
    }

    /** A claim counts an attempt; an event that was not dispatched after all gets it back. */
    private Delivery notDispatched(Delivery row) {
        return row.status() == Delivery.Status.RUNNING
                ? row.waiting(row.attempt() - 1, environment.now(), row.error())
                : row;
    }

    // ---- in plainer words -------------------------------------------------------------------------------------------

    /** The same for a store that refuses a row of it: without its error, then buried, then buried without a reason. */
    public List<Verdicts> plainer(String why) {
        return List.of(
                with(row -> row.error("what it failed with is refused by the store: " + why)
                        .stack(null)),
                with(row -> row.buriedPlainly("the store refuses its row: " + why)),
                with(row -> row.buriedPlainly("the store refuses its row")));
    }

    private Verdicts with(UnaryOperator<Delivery> change) {
        Verdicts copy = new Verdicts(spec, environment, kept, seals);
        copy.settled.addAll(settled);
        copy.headers.putAll(headers);
        copy.found.addAll(found);
        copy.declined.addAll(declined);
        copy.replaced.addAll(changed);
        copy.delivered = delivered;
        copy.skipped = skipped;
        copy.parked = parked;
        copy.dead = dead;
        copy.expired = expired;
        for (Delivery row : changed) {
            Delivery other = change.apply(row);
            boolean dies = row.waits() && !other.waits();
            copy.changed.add(other);
            failed.stream()
                    .filter(each -> each.row().equals(row))
                    .findFirst()
                    .or(() -> Optional.of(new Failed(row, true, null)).filter(each -> dies))
                    .ifPresent(each -> copy.failed.add(new Failed(other, each.first(), each.thrown())));
            copy.parked -= dies ? 1 : 0;
            copy.dead += dies ? 1 : 0;
        }
        return copy;
    }

    public List<Delivery> replaced() {
        return replaced;
    }

    // ---- written ----------------------------------------------------------------------------------------------------

    /** What it does to the counts of its lane. */
    public Counts counts() {
        return new Counts(delivered, skipped, parked, dead, expired, 0);
    }

    /** Whether it has any event; a cursor may move on without. */
    public boolean any() {
        return !changed.isEmpty() || !settled.isEmpty() || !found.isEmpty() || !counts().equals(Counts.NONE);
    }

    /** Whether it has events, and all of them were skipped. */
    public boolean onlySkips() {
        return skipped > 0
                && changed.isEmpty()
                && declined.isEmpty()
                && counts().equals(new Counts(0, skipped, 0, 0, 0, 0));
    }

    /** What observers are told once it is written. */
    public Observation.Settled told(Lane lane) {
        Map<EventId, Throwable> causes = new HashMap<>(0);
        for (Failed each : failed) {
            if (each.thrown() != null) {
                causes.put(each.row().id(), each.thrown().exception());
            }
        }
        return new Observation.Settled(spec.name(), lane, counts(), changed, headers, causes);
    }

    public Settlement settlement(Draft draft, Cursor cursor) {
        Counts counts = draft.before().plus(counts());
        List<Position> positions = settled.stream().map(Delivery::position).toList();
        return new Settlement(
                draft.ownership(),
                draft.number(),
                cursor,
                counts,
                changed,
                positions,
                seals.beside(draft.seals()),
                found,
                declined);
    }

    /** Of a task that was claimed more often than its policy allows. */
    public static Outcome usedUp(Delivery row, int allowed) {
        String usedUp = (row.attempt() - 1) + " attempts are used up, and " + allowed + " are allowed";
        return Outcome.dead(row.error() == null ? usedUp : usedUp + "; the last error: " + row.error());
    }
}
