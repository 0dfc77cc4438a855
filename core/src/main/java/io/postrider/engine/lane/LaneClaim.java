package io.postrider.engine.lane;

import io.postrider.Environment;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.engine.dispatch.Claimed;
import io.postrider.engine.dispatch.Flight;
import io.postrider.engine.dispatch.Item;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.observe.Observation;
import io.postrider.operate.Delivery;
import io.postrider.policy.SubscriptionLimits;
import io.postrider.store.Claim;
import io.postrider.store.Cursor;
import io.postrider.store.Page;
import io.postrider.store.Park;
import io.postrider.store.RefusedException;
import io.postrider.store.Store;
import io.postrider.store.Watch;
import io.postrider.text.Logs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * What a lane works on next: delivery rows that are due, and events behind its cursor. Not thread-safe: the lane guards
 * it.
 */
public final class LaneClaim {
    private static final Logger LOG = Logs.of(LaneClaim.class);
    /** Delivery rows claimed at once. */
    private static final int ROWS_MAX = 64;
    /** Keys that are looked at by one promotion. */
    private static final int PROMOTE_MAX = 1_000;

    private final Store<?> store;
    private final Environment environment;
    private final SubscriptionSpec spec;
    private final LaneState state;
    private final LaneOwner owner;
    private final DeliveredOutOfTurn outOfTurn = new DeliveredOutOfTurn();
    /** The lane's cursor, were everything handled that its last read found; null before the first read. */
    private @Nullable Cursor reached;

    private boolean fullSaid;
    /** Where the next promotion begins; null once all keys have been looked at. */
    private @Nullable String promoteAfter = "";

    LaneClaim(Store<?> store, Environment environment, SubscriptionSpec spec, LaneState state, LaneOwner owner) {
        this.store = store;
        this.environment = environment;
        this.spec = spec;
        this.state = state;
        this.owner = owner;
    }

    /** Claims rows and, if new ones are wanted, reads events, up to {@code limit} of each; a suspect row alone. */
    Claimed claim(int limit, boolean fresh) {
        lookForRows();
        List<Delivery> due = state.parked().due(environment.now(), Math.min(limit, ROWS_MAX));
        List<Claim.ClaimedDelivery> rows = due.isEmpty() ? List.of() : claimRows(due);
        boolean alone = !due.isEmpty() && due.get(0).suspect();
        if (alone || !fresh || full()) {
            return new Claimed(rows, null, Set.of());
        }
        Page page = store.claim()
                .read(state.ownership(), state.cursor(), limit, spec.limits().batchBytes());
        reached = page.after(page.events().size());
        return new Claimed(rows, page, blocked(page));
    }

    /** Whether the last read of this lane found these commits, or came past them. */
    boolean hasRead(Watch.Commits commits) {
        return reached != null && commits.areRead(state.ownership(), reached);
    }

    // ---- rows in the store ------------------------------------------------------------------------------------------

    /** Rows of the lane have been changed by others. */
    void lookAgain() {
        promoteAfter = "";
        state.remember(store.park().window(state.ownership(), spec.view()));
    }

    /** How long the lane may rest. */
    Duration untilDue() {
        return promoteAfter != null && state.parked().hasBehind(1)
                ? Duration.ZERO
                : state.parked().untilDue(environment.now(), spec.limits().rereadEvery());
    }

    /** Brings those rows into memory whose turn may have come. */
    private void lookForRows() {
        Parked parked = state.parked();
        boolean promoted = promote();
        if (promoted || parked.wantsWindow()) {
            state.remember(store.park().window(state.ownership(), spec.view()));
        }
        List<String> ended = parked.ended(ROWS_MAX);
        if (!ended.isEmpty()) {
            parked.followed(ended, store.park().follow(state.ownership(), spec.rows(), ended, ROWS_MAX));
        }
    }

    /** Whether rows were found that wait behind nothing: what they waited for is gone, and nobody came to them. */
    private boolean promote() {
        if (promoteAfter == null || !state.parked().hasBehind(1)) {
            promoteAfter = null;
            return false;
        }
        Park.Promoted done = store.park().promote(state.ownership(), spec.rows(), promoteAfter, PROMOTE_MAX);
        promoteAfter = done.after();
        return done.promoted() > 0;
    }

    /** Keys of the page that have rows of which only the store knows. */
    private Set<String> blocked(Page page) {
        Parked parked = state.parked();
        if (!spec.rows().ordered() || page.events().isEmpty() || parked.knowsBlockedKeys()) {
            return Set.of();
        }
        Set<String> keys = page.events().stream()
                .map(StoredEvent::key)
                .filter(key -> key != null && !parked.blocks(key))
                .collect(Collectors.toSet());
        return keys.isEmpty() ? Set.of() : store.park().blocked(state.ownership(), spec.rows(), keys);
    }

    // ---- rows and events --------------------------------------------------------------------------------------------

    /** A batch is about to be settled; what it has not begun is claimed again. */
    void landed(Flight landed) {
        outOfTurn.landed(landed.begun(), landed.rest());
    }

    private List<Claim.ClaimedDelivery> claimRows(List<Delivery> due) {
        List<Claim.ClaimedDelivery> rows = claimWhatCanBe(due);
        if (rows.size() < due.size()) {
            lookAgain(); // some are gone, and nobody has told: to ask for them again at once would go on for ever
        }
        rows.forEach(row -> state.parked().claimed(row.delivery()));
        return rows;
    }

    /** A row that the store refuses to claim is buried by itself; those beside it are claimed. */
    private List<Claim.ClaimedDelivery> claimWhatCanBe(List<Delivery> due) {
        try {
            return store.claim()
                    .claim(
                            state.ownership(),
                            due.stream().map(Delivery::position).toList());
        } catch (RefusedException e) {
            if (due.size() > 1) {
                return due.stream()
                        .flatMap(row -> claimWhatCanBe(List.of(row)).stream())
                        .toList();
            }
            Delivery running = due.get(0).running(due.get(0).attempt() + 1);
            String defect = "the store refuses to claim its row: " + LaneSettle.reason(e);
            return List.of(
                    Claim.ClaimedDelivery.defective(running, state.ownership().lane(), defect));
        }
    }

    private boolean full() {
        if (spec.isQueue()) {
            return !owner.hasRoom();
        }
        SubscriptionLimits limits = spec.limits();
        Parked parked = state.parked();
        boolean full = parked.size() >= limits.parkedMax() || parked.hasBehind(limits.parkedBehindMax());
        if (full && !fullSaid) {
            LOG.warn(
                    "{} has {} events that failed and wait (parkedMax is {}), {} behind them (parkedBehindMax is {}):"
                            + " the lane reads nothing new until some have settled; mend the handler, or discard them",
                    state.ownership(),
                    parked.size(),
                    limits.parkedMax(),
                    parked.behind(),
                    limits.parkedBehindMax());
        }
        tellFull(full);
        return full;
    }

    /** The lane is no longer ours to read: whether it is full is for another to say. */
    void end() {
        tellFull(false);
    }

    private void tellFull(boolean full) {
        if (full != fullSaid) {
            owner.observers()
                    .observe(new Observation.Full(spec.name(), state.ownership().lane(), full));
        }
        fullSaid = full;
    }

    /** The claimed rows and then the events, ready to be dispatched where nothing stands against it. */
    List<Item> items(Claimed claimed) {
        List<Item> items = new ArrayList<>();
        Set<Object> delayed = new HashSet<>(0);
        for (Claim.ClaimedDelivery row : claimed.rows()) {
            Item item = itemOf(row.event(), row.delivery());
            if (delayed.contains(item.orderKey) && item.state == Item.State.UNSTARTED) {
                item.state = Item.State.BLOCKED;
            }
            buryIfDefective(item, row.defect(), delayed);
            items.add(item);
        }
        for (StoredEvent event : claimed.events()) {
            Item item = itemOf(spec.retention().bounded(event), null);
            item.behind =
                    state.parked().blocks(item.orderKey) || claimed.blocked().contains(item.orderKey);
            if (item.state == Item.State.UNSTARTED && mustWait(item, delayed)) {
                item.state = Item.State.BLOCKED;
            }
            buryIfDefective(item, claimed.defect(event), delayed);
            items.add(item);
        }
        return items;
    }

    /** Whatever waits for it would wait in vain: it is dead, and its key goes on or stays blocked by the policy. */
    private void buryIfDefective(Item item, @Nullable String defect, Set<Object> blocked) {
        if (defect == null || item.state == Item.State.DECIDED) {
            return;
        }
        LOG.error(
                "{}: event {} at {} cannot be dispatched; it is dead, and the lane goes on: {}",
                state.ownership(),
                item.event.id(),
                item.event.position(),
                defect);
        item.attempt--; // no dispatch began
        item.decide(Outcome.dead(defect));
        if (spec.deadBlock()) {
            blocked.add(item.orderKey);
        }
    }

    private Item itemOf(StoredEvent event, @Nullable Delivery row) {
        if (event.schedule().expiresAt() != null) {
            owner.expiring();
        }
        var destination = spec.route(event);
        Item item = new Item(event, spec.orderKey(event), row, destination.orElse(null));
        Outcome before = row == null ? outOfTurn.of(event) : null;
        if (destination.isEmpty()) {
            item.decide(Outcome.SKIPPED);
        } else if (before != null) {
            item.decide(before);
        }
        return item;
    }

    /** For an earlier event of its key, or for its time; then the later ones of its key wait as well. */
    private boolean mustWait(Item item, Set<Object> delayed) {
        Instant wanted = item.event.schedule().deliverAt();
        if (wanted != null && wanted.isAfter(environment.now())) {
            delayed.add(item.orderKey);
        }
        return item.behind || delayed.contains(item.orderKey);
    }

    /** Parks every event that has a destination. */
    LaneSettle.Parts parkTasks(Claimed claimed) {
        return new LaneSettle.Items(items(claimed), claimed, state.cursor(), (verdicts, item) -> {
            if (item.state == Item.State.DECIDED) {
                verdicts.add(item);
            } else {
                verdicts.park(Delivery.task(item.event, environment.now()));
            }
        });
    }

    /** Parks what was claimed before any of it is dispatched: one of these events may end its process. */
    LaneSettle.Parts parkSuspects(Claimed claimed) {
        LOG.error(
                "{} was taken over again and again without a settle: its next {} events run one at a time,"
                        + " to find the one that ends its process",
                state.ownership(),
                claimed.events().size());
        return new LaneSettle.Items(items(claimed), claimed, state.cursor(), (verdicts, item) -> {
            if (item.row != null || item.state == Item.State.DECIDED) {
                verdicts.add(item);
            } else {
                verdicts.park(
                        Delivery.parked(item.event, environment.now(), true).behind(item.behind));
            }
        });
    }
}
