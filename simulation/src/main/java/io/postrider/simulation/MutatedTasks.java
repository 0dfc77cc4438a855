package io.postrider.simulation;

import io.postrider.Position;
import io.postrider.store.Claim;
import io.postrider.store.Tasks;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tasks that are changed under whatever claim they have by now, and not under the one that is named. */
final class MutatedTasks implements Tasks {
    private final Tasks tasks;
    private final Map<Position, Long> claims;

    /** @param claims the last of each task, which this notes */
    MutatedTasks(Tasks tasks, Map<Position, Long> claims) {
        this.tasks = tasks;
        this.claims = claims;
    }

    @Override
    public Prepared prepare(String subscription, Preparer by) {
        return tasks.prepare(subscription, by);
    }

    @Override
    public List<Claim.ClaimedDelivery> claim(Claimant claimant, int most) {
        List<Claim.ClaimedDelivery> claimed = tasks.claim(claimant, most);
        claimed.forEach(task -> claims.put(task.delivery().position(), task.claim()));
        return claimed;
    }

    @Override
    public Set<HeldTask> renew(String subscription, Set<HeldTask> named, Duration lease) {
        Map<HeldTask, HeldTask> now = new LinkedHashMap<>();
        named.forEach(held -> now.put(now(held), held));
        return named(tasks.renew(subscription, now.keySet(), lease), now);
    }

    @Override
    public Set<HeldTask> settle(String subscription, List<Ended> ended) {
        Map<HeldTask, HeldTask> now = new HashMap<>();
        ended.forEach(one -> now.put(now(one.task()), one.task()));
        List<Ended> all = ended.stream()
                .map(one -> new Ended(now(one.task()), one.change(), one.left()))
                .toList();
        return named(tasks.settle(subscription, all), now);
    }

    private HeldTask now(HeldTask held) {
        return new HeldTask(held.lane(), held.position(), claims.getOrDefault(held.position(), held.claim()));
    }

    private static Set<HeldTask> named(Set<HeldTask> kept, Map<HeldTask, HeldTask> now) {
        Set<HeldTask> named = new LinkedHashSet<>();
        kept.forEach(held -> named.add(now.getOrDefault(held, held)));
        return named;
    }

    @Override
    public int ready(String subscription, int most) {
        return tasks.ready(subscription, most);
    }
}
