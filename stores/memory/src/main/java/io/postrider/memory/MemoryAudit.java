package io.postrider.memory;

import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.operate.Audit;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operate;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Audit: a list whose oldest entries go with time. */
final class MemoryAudit implements Audit {
    private final MemoryState state;

    MemoryAudit(MemoryState state) {
        this.state = state;
    }

    @Override
    public List<Entry> entries(Query query, long before, int limit) {
        synchronized (state) {
            return state.audit.stream()
                    .filter(entry -> entry.number() < before && matches(query, entry))
                    .sorted(Comparator.comparing(Entry::number).reversed())
                    .limit(limit)
                    .toList();
        }
    }

    private boolean matches(Query query, Entry entry) {
        return matches(query.subscription(), entry.subscription())
                && matches(query.action(), entry.action())
                && matches(query.who(), entry.by().who())
                && matches(query.operation(), entry.operation())
                && (query.event() == null
                        || query.event().equals(entry.event())
                        || decidedBy(entry.operation(), query.event()));
    }

    private boolean decidedBy(@Nullable Long operation, EventId event) {
        return operation != null && state.decided.getOrDefault(event, Set.of()).contains(operation);
    }

    private static boolean matches(@Nullable Object wanted, @Nullable Object actual) {
        return wanted == null || wanted.equals(actual);
    }

    /** Whether an edit has given this id to its copy. */
    boolean hasCopy(EventId id) {
        return state.audit.stream()
                .anyMatch(entry -> id.toString().equals(entry.details().get(Operate.Edit.NEW_ID)));
    }

    // ---- for those who write ----------------------------------------------------------------------------------------

    /** About an event. */
    void note(By by, Action action, String subscription, Delivery row, Map<String, String> details) {
        add(by, action, subscription, row.position(), row.id(), null, details);
    }

    /** About a subscription, or a node. */
    void note(By by, Action action, @Nullable String subscription, Map<String, String> details) {
        add(by, action, subscription, null, null, null, details);
    }

    /** About an operation. */
    void note(By by, Action action, String subscription, long operation, Map<String, String> details) {
        add(by, action, subscription, null, null, operation, details);
    }

    private void add(
            By by,
            Action action,
            @Nullable String subscription,
            @Nullable Position position,
            @Nullable EventId event,
            @Nullable Long operation,
            Map<String, String> details) {
        long number = state.drawAuditNumber();
        state.audit.add(new Entry(number, state.now(), by, action, subscription, position, event, operation, details));
    }
}
