package io.postrider.engine.lane;

import io.postrider.Environment;
import io.postrider.engine.dispatch.Claimed;
import io.postrider.engine.dispatch.Item;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.engine.dispatch.Verdicts;
import io.postrider.operate.Delivery;
import io.postrider.store.Cursor;
import io.postrider.store.Page;
import io.postrider.store.RefusedException;
import io.postrider.store.Settle;
import io.postrider.text.Logs;
import io.postrider.text.Printable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.slf4j.Logger;

/**
 * What a lane writes. A settlement that the store refuses because of some row is written in halves, down to the event
 * whose row it is; that row is written in plainer words, or the event is buried with the reason. Outcomes are in hand
 * all the while, so no handler is called again for it. Not thread-safe: the lane guards it.
 */
public final class LaneSettle {
    private static final Logger LOG = Logs.of(LaneSettle.class);

    private final Settle store;
    private final Environment environment;
    private final SubscriptionSpec spec;
    private final LaneState state;
    private final Unsettled unsettled = new Unsettled();
    private final LaneQuiet quiet;

    /** Events that are settled together, in the order in which the cursor passes them. */
    interface Parts {
        int size();

        void addTo(Verdicts verdicts, int part);

        /** The lane's cursor once so many of them are settled. */
        Cursor after(int parts);
    }

    /** Items of one claim: the rows that were due, and then events of its page, all of them or its first. */
    record Items(List<Item> items, Claimed claimed, Cursor cursor, BiConsumer<Verdicts, Item> judge) implements Parts {
        @Override
        public int size() {
            return items.size();
        }

        @Override
        public void addTo(Verdicts verdicts, int part) {
            judge.accept(verdicts, items.get(part));
        }

        @Override
        public Cursor after(int parts) {
            Page page = claimed.page();
            int rows = claimed.rows().size();
            return page == null || (parts < items.size() && parts <= rows) ? cursor : page.after(parts - rows);
        }
    }

    LaneSettle(Settle store, Environment environment, SubscriptionSpec spec, LaneState state, int takeovers) {
        this.store = store;
        this.environment = environment;
        this.spec = spec;
        this.state = state;
        this.quiet = new LaneQuiet(environment, spec, state, takeovers);
    }

    /** What ended after its batch, or was left running by an earlier owner. */
    Unsettled unsettled() {
        return unsettled;
    }

    /** How seldom it settles where nothing is delivered. */
    LaneQuiet quiet() {
        return quiet;
    }

    // ---- write ------------------------------------------------------------------------------------------------------

    /** Settles these; false if the lane was lost. */
    boolean settle(Parts parts) {
        return write(parts, 0, parts.size(), new HashSet<>(0));
    }

    /** Settles this, of which nobody knows parts; false if the lane was lost. */
    boolean settle(Verdicts verdicts, Cursor next) {
        Set<Object> kept = new HashSet<>(0);
        try {
            return write(verdicts, next, kept);
        } catch (RefusedException e) {
            return writePlainer(verdicts, next, kept, e);
        }
    }

    /** Settles what is in no batch; false if the lane was lost. */
    boolean settleFinished() {
        if (unsettled.isEmpty()) {
            return true;
        }
        Cursor cursor = state.cursor();
        boolean written = settle(new Parts() {
            @Override
            public int size() {
                return unsettled.size();
            }

            @Override
            public void addTo(Verdicts verdicts, int part) {
                unsettled.addTo(verdicts, part);
            }

            @Override
            public Cursor after(int parts) {
                return cursor;
            }
        });
        if (written) {
            unsettled.clear();
        }
        return written;
    }

    /** Settles what was skipped, where no batch comes that has it too; false if the lane was lost. */
    boolean settleSkips() {
        return state.skipped() == 0 || settle(new Verdicts(spec, environment), state.cursor());
    }

    /** @param kept keys of rows that were kept of the parts before: later rows of these wait behind them */
    private boolean write(Parts parts, int from, int to, Set<Object> kept) {
        Verdicts verdicts = new Verdicts(spec, environment, kept);
        for (int part = from; part < to; part++) {
            parts.addTo(verdicts, part);
        }
        try {
            return write(verdicts, parts.after(to), kept);
        } catch (RefusedException e) {
            if (to - from <= 1) {
                return writePlainer(verdicts, parts.after(to), kept, e);
            }
            int half = (from + to) / 2;
            return write(parts, from, half, kept) && write(parts, half, to, kept);
        }
    }

    private boolean write(Verdicts verdicts, Cursor next, Set<Object> kept) {
        if (quiet.mayWait(verdicts, next)) {
            state.skip(verdicts, next);
            return true;
        }
        boolean written = state.settle(store, verdicts, next);
        if (written) {
            quiet.settled();
            verdicts.changed().stream()
                    .filter(spec.rows()::includes)
                    .map(spec::orderKey)
                    .forEach(kept::add);
        }
        return written;
    }

    // ---- refused ----------------------------------------------------------------------------------------------------

    private boolean writePlainer(Verdicts verdicts, Cursor next, Set<Object> kept, RefusedException refused) {
        if (verdicts.changed().isEmpty()) {
            throw refused; // there is no row: what is refused is not an event's
        }
        for (Delivery row : verdicts.changed()) {
            LOG.error(
                    "{}: the store refuses the delivery row of event {} at {}; the row is written without what it may"
                            + " refuse, or the event is dead, and the lane goes on. It failed with: {}",
                    state.ownership(),
                    row.id(),
                    row.position(),
                    Printable.reason(row.error()),
                    refused);
        }
        RefusedException last = refused;
        for (Verdicts plainer : verdicts.plainer(reason(refused))) {
            try {
                return write(plainer, next, kept);
            } catch (RefusedException e) {
                last = e;
            }
        }
        throw last;
    }

    /** The first line: what a database says below it repeats the row that it refuses. */
    public static String reason(RuntimeException refused) {
        return String.valueOf(refused.getMessage()).lines().findFirst().orElse("");
    }
}
