package io.postrider.operate;

import io.postrider.Headers;
import io.postrider.StoredEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Events of one correlation id as a tree: each below the one whose id its header {@link Headers#CAUSATION_ID} has.
 *
 * @param roots events without a cause among these, by position
 * @param complete false if a limit left some out
 */
public record Chain(List<Link> roots, boolean complete) {

    public Chain {
        roots = List.copyOf(roots);
    }

    /** An event and what it caused, by position. */
    public record Link(StoredEvent event, List<Link> effects) {
        public Link {
            effects = List.copyOf(effects);
        }
    }

    /** The tree of these events. A cause comes before its effect: an event that claims otherwise is a root. */
    public static Chain of(Collection<StoredEvent> events, boolean complete) {
        List<StoredEvent> newestFirst = events.stream()
                .sorted(Comparator.comparing(StoredEvent::position).reversed())
                .toList();
        Map<String, StoredEvent> byId = new HashMap<>();
        newestFirst.forEach(event -> byId.put(event.id().toString(), event));
        Map<StoredEvent, Deque<Link>> effects = new HashMap<>();
        Deque<Link> roots = new ArrayDeque<>();
        for (StoredEvent event : newestFirst) {
            Link link = new Link(event, new ArrayList<>(effects.getOrDefault(event, new ArrayDeque<>())));
            StoredEvent cause =
                    byId.get(event.headers().get(Headers.CAUSATION_ID).orElse(""));
            if (cause != null && cause.position().compareTo(event.position()) < 0) {
                effects.computeIfAbsent(cause, any -> new ArrayDeque<>()).addFirst(link);
            } else {
                roots.addFirst(link);
            }
        }
        return new Chain(new ArrayList<>(roots), complete);
    }

    /** How many events it has. */
    public int size() {
        int size = 0;
        Deque<Link> left = new ArrayDeque<>(roots);
        while (!left.isEmpty()) {
            left.addAll(left.remove().effects());
            size++;
        }
        return size;
    }
}
