package io.postrider.memory;

import io.postrider.memory.MemoryState.NodeRow;
import io.postrider.spi.Renew;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Leases on the store's clock. */
final class MemoryRenew implements Renew {
    private final MemoryState state;

    MemoryRenew(MemoryState state) {
        this.state = state;
    }

    @Override
    public Renewal renew(String node, Duration lease, Set<String> subscriptions) {
        synchronized (state) {
            boolean kept = state.isLive(node);
            state.nodes.put(node, new NodeRow(state.now().plus(lease), Set.copyOf(subscriptions)));
            forgetGone();
            return new Renewal(kept, held(node), shared(subscriptions), asked(node));
        }
    }

    @Override
    public void leave(String node) {
        synchronized (state) {
            state.nodes.remove(node);
            state.draining.remove(node);
            state.lanesOf(node).forEach(LaneRow::handBack);
        }
    }

    /** A node that fell silent is remembered until its lanes have been taken: only then has it lost all it had. */
    private void forgetGone() {
        state.nodes
                .keySet()
                .removeIf(node -> !state.isLive(node) && state.lanesOf(node).isEmpty());
    }

    private List<Held> held(String node) {
        return state.lanesOf(node).stream()
                .map(lane -> new Held(lane.ownership(state.incarnation()), lane.requests))
                .toList();
    }

    private Map<String, Shared> shared(Set<String> subscriptions) {
        Map<String, Shared> shared = new HashMap<>();
        for (String name : subscriptions) {
            SubscriptionRow row = state.subscriptions.get(name);
            if (row != null) {
                shared.put(name, new Shared(nodesOf(name), row.filter, row.paused));
            }
        }
        return shared;
    }

    private Asked asked(String node) {
        boolean operations = state.operations.values().stream().anyMatch(row -> row.isFreeFor(node, state.now()));
        return new Asked(state.draining.contains(node), operations);
    }

    private int nodesOf(String subscription) {
        return (int) state.nodes.entrySet().stream()
                .filter(node -> state.isLive(node.getKey()))
                .filter(node -> node.getValue().subscriptions().contains(subscription))
                .count();
    }
}
