package io.postrider.engine.queue;

import io.postrider.policy.Queue;
import io.postrider.store.Tasks;
import java.util.Collection;
import java.util.Map;
import java.util.Set;

/** How many tasks of each type a node may claim: some types have a concurrency of their own. */
final class TypeRoom {
    private final Map<String, Integer> byType;

    TypeRoom(Queue queue) {
        this.byType = queue.byType();
    }

    /** Claims up to so many tasks of these types. */
    interface Claims {
        int claim(Tasks.Types types, int most);
    }

    /** Claims up to {@code free} tasks: first of each type that has a limit, and then of all others. */
    int claim(int free, Collection<RunningTask> running, Claims claims) {
        int claimed = 0;
        for (Map.Entry<String, Integer> limited : byType.entrySet()) {
            String type = limited.getKey();
            int most = Math.min(free - claimed, limited.getValue() - count(running, type));
            claimed += most > 0 ? claims.claim(new Tasks.Types(true, Set.of(type)), most) : 0;
        }
        return free > claimed
                ? claimed + claims.claim(new Tasks.Types(false, byType.keySet()), free - claimed)
                : claimed;
    }

    private static int count(Collection<RunningTask> running, String type) {
        return (int) running.stream()
                .filter(each -> each.task().event().type().equals(type))
                .count();
    }
}
