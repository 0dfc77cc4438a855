package io.postrider.memory;

import io.postrider.memory.MemoryState.NodeRow;
import io.postrider.store.Renew;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Leases on the store's clock. */
final class MemoryRenew implements Renew {
    private final MemoryState state;
    private final MemoryFilters filters;

    MemoryRenew(MemoryState state) {
        this.state = state;
        this.filters = new MemoryFilters(state);
    }

    @Override
    public Renewal renew(String node, Duration lease, Set<String> sharing, Map<String, String> filters) {
        synchronized (state) {
            boolean kept = state.isLive(node);
            state.nodes.put(node, new NodeRow(state.now().plus(lease), Set.copyOf(sharing), Map.copyOf(filters)));
            forgetGone();
            return new Renewal(kept, held(node), shared(Renew.known(sharing, filters)), asked(node), state.now());
        }
    }

    @Override
    public boolean extend(String node, Duration lease) {
        synchronized (state) {
            NodeRow row = state.nodes.get(node);
            if (row == null || !state.isLive(node)) {
                return false;
            }
            state.nodes.put(node, new NodeRow(state.now().plus(lease), row.subscriptions(), row.filters()));
            return true;
        }
    }

    @Override
    public void leave(String node) {
        synchronized (state) {
            NodeRow row = state.nodes.remove(node);
            if (row != null) {
                filters.heldUntil(row, state.now());
            }
            state.draining.remove(node);
            state.lanesOf(node).forEach(LaneRow::handBack);
        }
    }

    /** A node that fell silent is remembered until its lanes have been taken: only then has it lost all it had. */
    private void forgetGone() {
        state.nodes.entrySet().removeIf(node -> {
            boolean gone =
                    !state.isLive(node.getKey()) && state.lanesOf(node.getKey()).isEmpty();
            if (gone) {
                filters.heldUntil(node.getValue(), node.getValue().until());
            }
            return gone;
        });
    }

    private List<HeldLane> held(String node) {
        return state.lanesOf(node).stream()
                .map(lane -> new HeldLane(lane.ownership(state.incarnation()), lane.requests))
                .toList();
    }

    private Map<String, Sharing> shared(Set<String> subscriptions) {
        Map<String, Sharing> shared = new HashMap<>();
        for (String name : subscriptions) {
            SubscriptionRow row = state.subscriptions.get(name);
            if (row != null) {
                shared.put(name, new Sharing(nodesOf(name, row.filter), row.filter, row.paused));
            }
        }
        return shared;
    }

    private Asked asked(String node) {
        boolean operations = state.operations.values().stream().anyMatch(row -> row.isFreeFor(node, state.now()));
        return new Asked(state.draining.contains(node), operations);
    }

    private int nodesOf(String subscription, String filter) {
        long sharing = state.nodes.entrySet().stream()
                .filter(node -> state.isLive(node.getKey()))
                .filter(node -> node.getValue().subscriptions().contains(subscription))
                .filter(node -> !node.getValue().differs(subscription, filter))
                .count();
        return (int) Math.max(1, sharing);
    }
}
