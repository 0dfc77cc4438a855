package io.postrider.simulation;

import io.postrider.store.Claim;
import io.postrider.store.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The oracle's books of tasks: until when which node has which, on the store's clock. */
final class TaskBooks {
    private final Oracle oracle;
    private final Supplier<Instant> storeNow;
    private final Map<Long, Leased> leased = new HashMap<>();
    /** Claims that were settled, or whose lease ran out before the next claim. */
    private final Set<Ended> ended = new HashSet<>();

    private record Leased(String node, long claim, Instant until) {}

    private record Ended(long position, long claim) {}

    TaskBooks(Oracle oracle, Supplier<Instant> storeNow) {
        this.oracle = oracle;
        this.storeNow = storeNow;
    }

    /** What the call of a store's tasks has done. */
    void observe(String node, String call, Object[] arguments, Object value) {
        switch (call) {
            case "claim" -> {
                Duration lease = ((Tasks.Claimant) arguments[0]).lease();
                ((List<?>) value).forEach(task -> claimed(node, (Claim.ClaimedDelivery) task, lease));
            }
            case "renew" -> held(value).forEach(held -> renewed(held, (Duration) arguments[2]));
            case "settle" -> held(value).forEach(this::settled);
            case "prepare" -> prepared((Tasks.Prepared) value, ((Tasks.Preparer) arguments[1]).holding());
            default -> {}
        }
    }

    private static List<Tasks.HeldTask> held(Object value) {
        return ((Collection<?>) value).stream().map(Tasks.HeldTask.class::cast).toList();
    }

    private void claimed(String node, Claim.ClaimedDelivery task, Duration lease) {
        long position = task.delivery().position().value();
        Leased before = leased.get(position);
        if (before != null && before.until().isAfter(storeNow.get())) {
            throw oracle.fail(
                    "9: the task at %d is claimed by %s, although %s has it until %s",
                    position, node, before.node(), before.until());
        }
        if (before != null) {
            ended.add(new Ended(position, before.claim()));
        }
        leased.put(position, new Leased(node, task.claim(), storeNow.get().plus(lease)));
    }

    private void renewed(Tasks.HeldTask held, Duration lease) {
        requireClaim(held);
        leased.computeIfPresent(
                held.position().value(),
                (position, one) ->
                        new Leased(one.node(), one.claim(), storeNow.get().plus(lease)));
    }

    private void settled(Tasks.HeldTask held) {
        requireClaim(held);
        leased.remove(held.position().value());
        ended.add(new Ended(held.position().value(), held.claim()));
    }

    /** A lease that had run out then may be over for good, although the clock jumps back after that. */
    private void prepared(Tasks.Prepared prepared, Set<Tasks.HeldTask> holding) {
        if (prepared.readied() > 0) {
            Set<Long> kept = holding.stream().map(Tasks.HeldTask::claim).collect(Collectors.toSet());
            leased.replaceAll((position, one) -> one.until().isAfter(storeNow.get()) || kept.contains(one.claim())
                    ? one
                    : new Leased(one.node(), one.claim(), Instant.MIN));
        }
    }

    private void requireClaim(Tasks.HeldTask held) {
        Leased now = leased.get(held.position().value());
        if (now != null && now.claim() != held.claim()) {
            throw oracle.fail(
                    "9: the task at %s is changed under claim %d, although %s has it under claim %d",
                    held.position(), held.claim(), now.node(), now.claim());
        }
        if (ended.contains(new Ended(held.position().value(), held.claim()))) {
            throw oracle.fail(
                    "9: the task at %s is changed under claim %d, which has ended", held.position(), held.claim());
        }
    }

    /** A changed filter makes tasks ready that were claimed only to be skipped, and positions are used again. */
    void clear() {
        leased.clear();
        ended.clear();
    }
}
