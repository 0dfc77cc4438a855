package io.postrider.simulation;

import io.postrider.Counts;
import io.postrider.EventId;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import io.postrider.spi.Claim;
import io.postrider.spi.Cursor;
import io.postrider.spi.Ownership;
import io.postrider.spi.Page;
import io.postrider.spi.Processed;
import io.postrider.spi.Settlement;
import io.postrider.spi.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
        Object before(Call call) throws Throwable {
            if (call.isSettle()) {
                Settlement stale = call.settlement();
                Ownership latest = call.memory().latest.getOrDefault(lane(stale.ownership()), stale.ownership());
                return call.with(new Settlement(
                        latest,
                        stale.number(),
                        stale.cursor(),
                        stale.counts(),
                        stale.changed(),
                        stale.settled(),
                        stale.seals(),
                        stale.found()));
            }
            return call.proceed();
        }
    },
    /** What has been read counts as handled, whether its batch settles or not. */
    CURSOR_BEFORE_SETTLE {
        @Override
        @Nullable
        Object before(Call call) throws Throwable {
            Object answer = call.proceed();
            if (answer instanceof Page page && page.size() > 0) {
                Ownership ownership = (Ownership) call.arguments()[0];
                Cursor next = ((Cursor) call.arguments()[1]).advance(page, page.size());
                Counts handled = new Counts(page.size(), 0, 0, 0, 0, 0);
                call.memory().store.settle(call.memory().ahead(ownership, next, handled));
            }
            return answer;
        }
    },
    /** Only what lies behind the cursor's position is read. */
    NO_LATE_SET {
        @Override
        @Nullable
        Object before(Call call) throws Throwable {
            return call.proceed() instanceof Page page
                    ? new Page(
                            List.of(),
                            page.fresh(),
                            page.snapshot(),
                            page.bound(),
                            page.head(),
                            true,
                            page.lateExhausted() && page.freshExhausted())
                    : call.answer();
        }
    },
    /** Whatever has been passed counts as complete. */
    FLOOR_TOO_EARLY {
        @Override
        @Nullable
        Object before(Call call) throws Throwable {
            if (call.isSettle()) {
                Settlement written = call.settlement();
                Cursor early = written.cursor();
                Cursor floored = new Cursor(
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
        Object before(Call call) throws Throwable {
            return call.proceed() instanceof Processed<?> processed ? new Unchecked(processed) : call.answer();
        }
    },
    /** Nothing is remembered of what a broker has acknowledged. */
    NO_SEALS {
        @Override
        @Nullable
        Object before(Call call) throws Throwable {
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
        Object before(Call call) throws Throwable {
            return call.proceed() instanceof List<?> list
                    ? list.stream().map(Mutation::withoutTakeovers).toList()
                    : call.answer();
        }
    };

    /** Records that nobody looks at. */
    private record Unchecked(Processed<?> processed) implements Processed<MemoryTransaction> {
        @Override
        public boolean first(MemoryTransaction transaction, EventId event, String handler) {
            return true;
        }

        @Override
        public boolean forget(Duration age) {
            return processed.forget(age);
        }
    }

    /** A call of the store that a mutation may change. */
    private static final class Call {
        private final Changed memory;
        private final Method method;
        private final Object @Nullable [] arguments;
        private @Nullable Object answer;

        Call(Changed memory, Method method, Object @Nullable [] arguments) {
            this.memory = memory;
            this.method = method;
            this.arguments = arguments;
        }

        Changed memory() {
            return memory;
        }

        Object[] arguments() {
            return arguments == null ? new Object[0] : arguments;
        }

        boolean isSettle() {
            return method.getName().equals("settle");
        }

        Settlement settlement() {
            return (Settlement) arguments()[0];
        }

        @Nullable
        Object proceed() throws Throwable {
            return with(arguments());
        }

        @Nullable
        Object with(Object... others) throws Throwable {
            try {
                answer = method.invoke(memory.store, others);
                return answer;
            } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
            }
        }

        @Nullable
        Object answer() {
            return answer;
        }
    }

    /** The store below, and what a mutation needs to know of its lanes. */
    private static final class Changed {
        final MemoryStore store;
        final Map<String, Ownership> latest = new HashMap<>();
        final Map<String, Claim.ClaimedLane> claimed = new HashMap<>();
        final Map<String, Settlement> settled = new HashMap<>();

        Changed(MemoryStore store) {
            this.store = store;
        }

        void observe(Call call) {
            if (call.answer() instanceof List<?> list) {
                for (Object one : list) {
                    if (one instanceof Claim.ClaimedLane lane) {
                        latest.put(lane(lane.ownership()), lane.ownership());
                        claimed.put(lane(lane.ownership()), lane);
                        settled.remove(lane(lane.ownership()));
                    }
                }
            }
            if (call.isSettle() && Boolean.TRUE.equals(call.answer())) {
                settled.put(lane(call.settlement().ownership()), call.settlement());
            }
        }

        /** The lane's next settlement, with this much more handled. */
        Settlement ahead(Ownership ownership, Cursor cursor, Counts more) {
            Settlement last = settled.get(lane(ownership));
            Claim.ClaimedLane start = claimed.get(lane(ownership));
            long number = last != null ? last.number() : start == null ? 0 : start.settlement();
            Counts counts = last != null ? last.counts() : start == null ? Counts.NONE : start.counts();
            return new Settlement(ownership, number, cursor, counts.plus(more), List.of(), List.of());
        }
    }

    @Nullable
    Object before(Call call) throws Throwable {
        return call.proceed();
    }

    @SuppressWarnings("unchecked")
    Store<MemoryTransaction> mutated(MemoryStore store) {
        if (this == NONE) {
            return store;
        }
        Changed changed = new Changed(store);
        return (Store<MemoryTransaction>) Proxy.newProxyInstance(
                Mutation.class.getClassLoader(), new Class<?>[] {Store.class}, (proxy, method, arguments) -> {
                    Call call = new Call(changed, method, arguments);
                    Object answer = before(call);
                    changed.observe(call);
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

    boolean hidesStoreCrashes() {
        return this == CURSOR_KEPT_ACROSS_A_STORE_FAILURE;
    }

    private static Object withoutTakeovers(Object one) {
        return one instanceof Claim.ClaimedLane lane
                ? new Claim.ClaimedLane(
                        lane.ownership(),
                        0,
                        lane.cursor(),
                        lane.settlement(),
                        lane.counts(),
                        lane.deliveries(),
                        lane.takenFrom())
                : one;
    }

    private static String lane(Ownership ownership) {
        return ownership.subscription() + "/" + ownership.lane();
    }
}
