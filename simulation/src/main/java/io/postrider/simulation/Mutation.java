package io.postrider.simulation;

import io.postrider.EventId;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import io.postrider.operate.Counts;
import io.postrider.store.Claim;
import io.postrider.store.Cursor;
import io.postrider.store.Ownership;
import io.postrider.store.Page;
import io.postrider.store.Park;
import io.postrider.store.Processed;
import io.postrider.store.RefusedException;
import io.postrider.store.Settlement;
import io.postrider.store.Store;
import io.postrider.store.StoreException;
import io.postrider.store.Subscriptions;
import io.postrider.store.Tasks;
import io.postrider.store.Watch;
import io.postrider.store.snapshot.SnapshotCursor;
import io.postrider.store.snapshot.SnapshotPage;
import io.postrider.tck.StorePorts;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something essential left out. The engine stays as it is; what it stands on is changed so that the effect is that of
 * an engine without it. A simulation that does not notice is worth nothing.
 */
enum Mutation {
    NONE,
    /** A settle is written whoever has the lane by now. */
    NO_FENCING {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            if (call.isSettle()) {
                Settlement stale = call.settlement();
                Ownership latest = call.lanes().latest(stale.ownership());
                return call.with(under(latest, stale));
            }
            return call.proceed();
        }
    },
    /** What has been read counts as handled, whether its batch settles or not. */
    CURSOR_BEFORE_SETTLE {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            Object answer = call.proceed();
            if (answer instanceof Page page && !page.events().isEmpty()) {
                Ownership ownership = (Ownership) call.arguments()[0];
                int read = page.events().size();
                Cursor next = page.after(read);
                Counts handled = new Counts(read, 0, 0, 0, 0, 0);
                call.lanes().store().settle().settle(call.lanes().ahead(ownership, next, handled));
            }
            return answer;
        }
    },
    /** Only what lies behind the cursor's position is read. */
    NO_LATE_SET {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            return call.proceed() instanceof SnapshotPage page
                    ? new SnapshotPage(page.behind(), MutatedReads.withoutLate(page.read()))
                    : call.answer();
        }
    },
    /** Whatever has been passed counts as complete. */
    FLOOR_TOO_EARLY {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            if (call.isSettle()) {
                Settlement written = call.settlement();
                SnapshotCursor early = SnapshotCursor.of(written.cursor());
                SnapshotCursor floored = new SnapshotCursor(
                        early.position(),
                        early.snapshot(),
                        early.bound(),
                        early.position(),
                        early.mark(),
                        early.late());
                return call.with(new Settlement(
                        written.ownership(),
                        written.number(),
                        floored,
                        written.counts(),
                        written.changed(),
                        written.settled(),
                        written.seals(),
                        written.found()));
            }
            return call.proceed();
        }
    },
    /** Nobody learns that the store has crashed, so that what was in memory is used further. */
    CURSOR_KEPT_ACROSS_A_STORE_FAILURE,
    /** An event is dispatched although an earlier one of its key has failed. */
    FOLLOWERS_LET_THROUGH,
    /** A process that was paused believes that no time has passed. */
    NO_DEADLINE,
    /** An effect is had whether there is a record of it or not. */
    RECORDS_NOT_CHECKED {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            return call.proceed() instanceof Processed<?> processed ? new Unchecked(processed) : call.answer();
        }
    },
    /** Nothing is remembered of what a broker has acknowledged. */
    NO_SEALS {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            if (call.isSettle()) {
                Settlement whole = call.settlement();
                return call.with(new Settlement(
                        whole.ownership(),
                        whole.number(),
                        whole.cursor(),
                        whole.counts(),
                        whole.changed(),
                        whole.settled()));
            }
            return call.proceed();
        }
    },
    /** A lane whose owner died is taken as if it had been handed over. */
    TAKEOVERS_NOT_COUNTED {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            return call.proceed() instanceof List<?> list
                    ? list.stream().map(Mutation::withoutTakeovers).toList()
                    : call.answer();
        }
    },
    /** Data that the store refuses is taken for a store that does not answer. */
    REFUSALS_TAKEN_FOR_OUTAGES {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            Object answer;
            try {
                answer = call.proceed();
            } catch (RefusedException e) {
                throw new StoreException(String.valueOf(e.getMessage()), e);
            }
            if (answer instanceof Page page && !page.defects().isEmpty()) {
                throw new StoreException("the page cannot be read");
            }
            return answer;
        }
    },
    /** What is thrown in a call of the store ends the thread of its lane, and nobody learns of it. */
    ERRORS_END_LANES_SILENTLY,
    /** A delivery row whose event is gone is not answered by its claim. */
    ROWS_WITHOUT_EVENTS_LEFT_OUT {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            return call.proceed() instanceof List<?> list
                    ? list.stream().filter(one -> !isDefective(one)).toList()
                    : call.answer();
        }
    },
    /** A changed filter takes no lane from its owner: what was read under the old one is settled. */
    FILTERS_DO_NOT_FENCE {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            return call.isSettle() && Boolean.FALSE.equals(call.proceed())
                    ? call.lanes().settleAllTheSame(call.settlement(), Mutation::under)
                    : call.isSettle() ? call.answer() : call.proceed();
        }
    },
    /** The filter of a version that is gone stays in force. */
    FILTERS_NEVER_TAKEN_BACK {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            return call.is(Subscriptions.class, "takeBack") ? Optional.empty() : call.proceed();
        }
    },
    /** Where an owner does not hold every row, it takes keys for free whose rows it does not hold. */
    KEYS_NOT_LOOKED_UP {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            return call.proceed() instanceof Park park ? new MutatedPark.WithoutBlocked(park) : call.answer();
        }
    },
    /** A row that waited behind one that has gone is not found. */
    FOLLOWERS_NOT_FOUND {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            return call.proceed() instanceof Park park ? new MutatedPark.WithoutFollow(park) : call.answer();
        }
    },
    /** Rows that wait behind nothing stay there. */
    NOTHING_PROMOTED {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            return call.proceed() instanceof Park park ? new MutatedPark.WithoutSweep(park) : call.answer();
        }
    },
    /** A task is renewed and settled whoever has it by now. */
    TASKS_NOT_FENCED {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            return call.proceed() instanceof Tasks tasks ? call.lanes().unfenced(tasks) : call.answer();
        }
    },
    /** A node that records effects goes on with it once its subscription settles with them. */
    FORMS_NOT_FENCED {
        @Override
        @Nullable
        @SuppressWarnings("unchecked")
        Object before(MutatedCall call) throws Throwable {
            return call.proceed() instanceof Processed<?> processed
                    ? new Unfenced((Processed<MemoryTransaction>) processed)
                    : call.answer();
        }
    },
    /** An owner that settles with its effects takes no notice of what was recorded before. */
    RECORDS_OF_THE_OTHER_FORM_NOT_CHECKED {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            return call.proceed() instanceof List<?> list
                    ? list.stream()
                            .map(one -> one instanceof Claim.ClaimedLane lane ? lane.recordedUntil(null) : one)
                            .toList()
                    : call.answer();
        }
    },
    /** An operation comes as far as the middle of the log, and is told as finished. */
    OPERATIONS_END_EARLY,
    /** Whatever a look found, its lanes are taken for having read it. */
    WAKES_LEFT_OUT {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            return call.proceed() instanceof Watch.News news
                    ? MutatedReads.wakingUnless(news, commits -> (reader, reached) -> true)
                    : call.answer();
        }
    },
    /** A lane that came past the position of a commit is taken for having seen it. */
    WAKES_BY_POSITION_ALONE {
        @Override
        @Nullable
        Object before(MutatedCall call) throws Throwable {
            return call.proceed() instanceof Watch.News news
                    ? MutatedReads.wakingUnless(news, MutatedReads::withoutXids)
                    : call.answer();
        }
    },
    /** Nodes reckon what is due by their own clocks. */
    DUES_BY_THE_NODES_CLOCK;

    /** Records that nobody looks at. */
    private record Unchecked(Processed<?> processed) implements Processed<MemoryTransaction> {
        @Override
        public boolean first(MemoryTransaction transaction, EventId event, String handler) {
            return true;
        }

        @Override
        public Recorded record(MemoryTransaction transaction, EventId event, String subscription) {
            return Recorded.FIRST;
        }

        @Override
        public boolean forget(Duration age) {
            return processed.forget(age);
        }
    }

    /** Records that ask for no form. */
    private record Unfenced(Processed<MemoryTransaction> processed) implements Processed<MemoryTransaction> {
        @Override
        public boolean first(MemoryTransaction transaction, EventId event, String handler) {
            return processed.first(transaction, event, handler);
        }

        @Override
        public Recorded record(MemoryTransaction transaction, EventId event, String subscription) {
            return processed.first(transaction, event, subscription) ? Recorded.FIRST : Recorded.REPEATED;
        }

        @Override
        public boolean forget(Duration age) {
            return processed.forget(age);
        }
    }

    @Nullable
    Object before(MutatedCall call) throws Throwable {
        return call.proceed();
    }

    @SuppressWarnings("unchecked")
    Store<MemoryTransaction> mutated(MemoryStore store) {
        return this == NONE ? store : (Store<MemoryTransaction>) mutated(new MutatedLanes(store), Store.class, store);
    }

    /** The store or a port of it, as this mutation leaves it. */
    private Object mutated(MutatedLanes lanes, Class<?> type, Object target) {
        Map<String, Object> ports = new HashMap<>();
        return Proxy.newProxyInstance(
                Mutation.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (StorePorts.isPort(method) && ports.containsKey(method.getName())) {
                        return ports.get(method.getName());
                    }
                    MutatedCall call = new MutatedCall(lanes, target, method, arguments);
                    Object answer = before(call);
                    lanes.observe(call);
                    if (StorePorts.isPort(method)) {
                        answer = mutated(lanes, method.getReturnType(), Objects.requireNonNull(answer));
                        ports.put(method.getName(), answer);
                    }
                    return answer;
                });
    }

    SimulatedEnvironment mutated(SimulatedEnvironment process) {
        if (this == NO_DEADLINE) {
            process.stopClockInPauses();
        }
        return process;
    }

    boolean letsFollowersThrough() {
        return this == FOLLOWERS_LET_THROUGH;
    }

    boolean hangsAfterErrors() {
        return this == ERRORS_END_LANES_SILENTLY;
    }

    boolean endsOperationsEarly() {
        return this == OPERATIONS_END_EARLY;
    }

    boolean hidesTheStoresClock() {
        return this == DUES_BY_THE_NODES_CLOCK;
    }

    boolean hidesStoreCrashes() {
        return this == CURSOR_KEPT_ACROSS_A_STORE_FAILURE;
    }

    private static boolean isDefective(Object one) {
        return one instanceof Claim.ClaimedDelivery claimed && claimed.defect() != null;
    }

    private static Object withoutTakeovers(Object one) {
        return one instanceof Claim.ClaimedLane lane
                ? new Claim.ClaimedLane(
                        lane.ownership(),
                        0,
                        lane.cursor(),
                        lane.settlement(),
                        lane.counts(),
                        lane.window(),
                        lane.takenFrom(),
                        lane.recordedUntil())
                : one;
    }

    private static Settlement under(Ownership ownership, Settlement other) {
        return new Settlement(
                ownership,
                other.number(),
                other.cursor(),
                other.counts(),
                other.changed(),
                other.settled(),
                other.seals(),
                other.found());
    }
}
