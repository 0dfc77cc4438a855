package io.postrider.engine.lane;

import io.postrider.Environment;
import io.postrider.StoredEvent;
import io.postrider.destination.Guarded;
import io.postrider.engine.dispatch.Circuit;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.engine.dispatch.Verdicts;
import io.postrider.observe.Observation;
import io.postrider.operate.Delivery;
import io.postrider.policy.Schedule;
import io.postrider.store.Seal;
import io.postrider.store.Seals;
import io.postrider.text.Failure;
import io.postrider.text.Logs;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/**
 * Finds what a destination has acknowledged and lost, and has it dispatched again.
 *
 * <p>A server may acknowledge before it has written, or come back with an older copy of its data; the numbers of what
 * it lost are then given to other messages. So each settlement is sealed: with the number and the id of the last event
 * in each stream. When a lane is claimed, and after each outage, its newest seals are compared with what is there.
 * Where one is broken, the seals before it are looked at, down to the first that holds: everything behind that one is
 * noted as lost, at once and for good, and parked in its order before anything new is read. With the same ids, so that
 * what was not lost after all is de-duplicated by the server.
 *
 * <p>Not thread-safe: the lane guards it, and answers come back to the lane's own {@code serial}.
 */
final class LaneGuard {
    private static final Logger LOG = Logs.of(LaneGuard.class);
    /** Settlements whose seals are read at once, on the way back to one that holds. */
    private static final int PAGE = 64;
    /** Broken seals whose events are parked by one settlement. */
    private static final int LOST_AT_ONCE = 4;

    private final Seals store;
    private final Environment environment;
    private final SubscriptionSpec spec;
    private final LaneState state;
    private final GuardedLane lane;
    private final Map<Circuit, Long> verified = new IdentityHashMap<>();
    private final Collection<Circuit> circuits;
    private boolean asking;
    private boolean lostNoted;

    /** What the guard needs of its lane. */
    interface GuardedLane {
        /** Runs this on the lane's own serial, unless the lane has ended by then. */
        void later(Runnable task);

        /** Parks events that a destination has lost, and reads anew which rows come first. */
        void park(Verdicts lost);

        /** Looks what there is to do. */
        void wake();

        /** The lane is another's. */
        void lost();
    }

    /** @param circuits those of destinations that can lose events */
    LaneGuard(
            Seals store,
            Environment environment,
            SubscriptionSpec spec,
            LaneState state,
            Collection<Circuit> circuits,
            GuardedLane lane) {
        this.store = store;
        this.environment = environment;
        this.spec = spec;
        this.state = state;
        this.circuits = circuits;
        this.lane = lane;
        this.lostNoted = !circuits.isEmpty();
    }

    /** Whether it is known, since the last outage, what the destinations have: until then nothing is dispatched. */
    boolean isVerified() {
        return circuits.isEmpty() || (!asking && circuits.stream().allMatch(this::isVerified));
    }

    private boolean isVerified(Circuit circuit) {
        Long outages = verified.get(circuit);
        return outages != null && outages == circuit.outages();
    }

    /**
     * Whether the destinations were not down since they were verified; asked from any thread. An outage that begins and
     * ends between a look and a call would be hidden by what is sealed next.
     */
    BooleanSupplier verification() {
        if (circuits.isEmpty()) {
            return () -> true;
        }
        Map<Circuit, Long> known = new IdentityHashMap<>(verified);
        return () -> known.entrySet().stream().allMatch(each -> each.getKey().outages() == each.getValue());
    }

    /** Whether something is noted as lost and not parked yet: until then nothing new is read. */
    boolean hasLost() {
        return lostNoted;
    }

    /** The next step: looks what a destination has, or parks what was lost. */
    void look() {
        if (!isVerified()) {
            verify();
        } else if (lostNoted) {
            parkLost();
        }
    }

    private void verify() {
        if (!asking) {
            circuits.stream()
                    .filter(circuit -> !isVerified(circuit))
                    .findFirst()
                    .ifPresent(circuit -> new Look(circuit).begin());
        }
    }

    // ---- verify -----------------------------------------------------------------------------------------------------

    /** One look at what a destination has, from the newest seals back to those that hold. */
    private final class Look {
        private final Circuit circuit;
        private final Guarded destination;
        private final long outages;
        private final Set<String> holding = new HashSet<>();
        private final List<Seals.Sealing> broken = new ArrayList<>();
        private boolean first = true;

        Look(Circuit circuit) {
            this.circuit = circuit;
            this.destination = (Guarded) circuit.destination();
            this.outages = circuit.outages();
        }

        void begin() {
            asking = true;
            look(Long.MAX_VALUE);
        }

        private void look(long before) {
            int limit = first ? 1 : PAGE;
            List<Seals.Sealing> page =
                    store.sealings(state.ownership(), before, spec.limits().guardedFor(), limit);
            if (first && !page.isEmpty()) {
                state.sealed(page.get(0).seals());
            }
            boolean more = page.size() == limit;
            long oldest = more ? page.get(limit - 1).settlement() : 0;
            List<Asked> asked = asked(page);
            answer(verify(asked))
                    .whenComplete((held, failure) -> lane.later(() -> {
                        if (failure != null) {
                            unverifiable(failure);
                        } else if (note(asked, held) && more) {
                            first = false;
                            look(oldest);
                        } else {
                            end();
                        }
                    }));
        }

        private CompletionStage<List<Boolean>> verify(List<Asked> asked) {
            if (asked.isEmpty()) {
                return CompletableFuture.completedStage(List.of());
            }
            try {
                return destination.verify(
                        asked.stream().map(one -> one.seal().last()).toList());
            } catch (Throwable e) {
                return CompletableFuture.failedStage(e);
            }
        }

        /** The same, or a failure if there is no answer in time; a later one is not heard. */
        private CompletionStage<List<Boolean>> answer(CompletionStage<List<Boolean>> coming) {
            CompletableFuture<List<Boolean>> answer = new CompletableFuture<>();
            Environment.Timer timer = environment.schedule(
                    Circuit.ANSWER_WITHIN, () -> answer.completeExceptionally(new UnansweredException()));
            coming.whenComplete((held, failure) -> {
                timer.cancel();
                if (failure != null) {
                    answer.completeExceptionally(failure);
                } else {
                    answer.complete(held);
                }
            });
            return answer;
        }

        private List<Asked> asked(List<Seals.Sealing> page) {
            List<Asked> asked = new ArrayList<>();
            for (Seals.Sealing sealing : page) {
                sealing.seals().stream()
                        .filter(seal ->
                                seal.destination().equals(destination.profile().name()))
                        .filter(seal -> !holding.contains(seal.stream()))
                        .forEach(seal -> asked.add(new Asked(sealing.settlement(), seal)));
            }
            return asked;
        }

        private void unverifiable(Throwable failure) {
            asking = false;
            if (failure instanceof UnansweredException && circuit.outages() != outages) {
                lane.wake(); // another lane had no answer either, and has told so; asks again when it is up
                return;
            }
            circuit.down("what it has cannot be verified: " + Failure.message(failure));
        }

        /** Whether some stream has broken seals, and none yet that holds. */
        private boolean note(List<Asked> asked, List<Boolean> held) {
            for (int i = 0; i < asked.size(); i++) {
                Seal seal = asked.get(i).seal();
                if (held.get(i)) {
                    holding.add(seal.stream());
                } else if (!holding.contains(seal.stream())) {
                    broken.add(new Seals.Sealing(asked.get(i).settlement(), List.of(seal)));
                }
            }
            return broken.stream().anyMatch(one -> !holding.contains(one.seals().get(0).stream()));
        }

        private void end() {
            asking = false;
            if (!broken.isEmpty()) {
                if (!store.lose(state.ownership(), broken)) {
                    lane.lost();
                    return;
                }
                broken.forEach(one -> state.unsealed(one.seals().get(0)));
                lostNoted = true;
                tell();
            }
            verified.put(circuit, outages);
            lane.wake();
        }

        private void tell() {
            for (Seals.Sealing one : broken) {
                Seal seal = one.seals().get(0);
                int events = seal.positions().size();
                if (events > 0) {
                    LOG.error(
                            "Destination {} had acknowledged {} events of {} in stream {}, up to {}, and has lost"
                                    + " them: they are dispatched again",
                            circuit.nameIn(spec.name()),
                            events,
                            state.ownership(),
                            seal.stream(),
                            seal.last().receipt().sequence());
                    state.observers()
                            .observe(new Observation.Unsealed(
                                    spec.name(), circuit.nameIn(spec.name()), seal.stream(), events));
                }
            }
        }
    }

    private record Asked(long settlement, Seal seal) {}

    /** A destination does not say what it has. */
    private static final class UnansweredException extends Exception {
        private static final long serialVersionUID = 1L;

        UnansweredException() {
            super("no answer within " + Circuit.ANSWER_WITHIN.toSeconds() + " s", null, false, false);
        }
    }

    // ---- park -------------------------------------------------------------------------------------------------------

    /**
     * Parks some of what is noted as lost, as far as there is room for it. An event that was replayed may be under two
     * broken seals, or have a row already: it is parked and counted once. Rows that only the store knows it leaves as
     * they are, and takes back what was counted for them.
     */
    private void parkLost() {
        if (state.parked().isCrowded() || state.parked().size() >= spec.limits().parkedMax()) {
            return;
        }
        List<Seals.Lost> lost = store.lost(state.ownership(), LOST_AT_ONCE);
        lostNoted = !lost.isEmpty();
        if (lostNoted) {
            Verdicts verdicts = new Verdicts(spec, environment);
            List<Delivery> rows = lost.stream()
                    .flatMap(each -> rows(each.seal()).stream())
                    .filter(row -> !state.parked().has(row))
                    .collect(Collectors.toMap(Delivery::position, row -> row, (first, again) -> first, TreeMap::new))
                    .values()
                    .stream()
                    .toList();
            verdicts.found(lost, rows);
            lane.park(verdicts);
        }
    }

    private List<Delivery> rows(Seal seal) {
        List<StoredEvent> events = store.events(state.ownership(), seal.positions());
        if (events.size() < seal.positions().size()) {
            LOG.error(
                    "{} events that destination '{}' has lost are no longer in the log, and cannot be dispatched again",
                    seal.positions().size() - events.size(),
                    seal.destination());
        }
        String why = "destination '" + seal.destination() + "' had acknowledged it and lost it";
        Instant now = environment.now();
        return events.stream()
                .map(event -> event.schedule(Schedule.NONE)) // it was in time once
                .map(event -> Delivery.parked(event, now, false).waiting(0, now, why))
                .map(row -> row.behind(state.parked().isAheadOf(row)))
                .toList();
    }
}
