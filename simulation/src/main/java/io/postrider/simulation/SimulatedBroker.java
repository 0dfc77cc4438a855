package io.postrider.simulation;

import io.postrider.EventId;
import io.postrider.destination.Guarded;
import io.postrider.destination.Outcome;
import io.postrider.destination.Receipt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The broker behind a destination, outside of all processes: it stores each event once, is down for a while, and may
 * come back without the last that it had acknowledged, whose numbers it then gives to others.
 */
final class SimulatedBroker {
    private static final String STREAM = "PARCELS";

    private final World world;
    private final List<EventId> stored = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    private long downUntil;
    /** Connections end with it. */
    private long incarnation = 1;

    SimulatedBroker(World world) {
        this.world = world;
    }

    /** It ends, without the last so many that it has. */
    void down(Duration length, int loses) {
        downUntil = Math.max(downUntil, world.scheduler().nanos() + length.toNanos());
        incarnation++;
        List<EventId> tail = stored.subList(Math.max(0, stored.size() - loses), stored.size());
        world.oracle().lost(Subscribed.DESTINATION, tail);
        tail.clear();
        links.forEach(Link::tell);
    }

    private boolean isDown() {
        return downUntil > world.scheduler().nanos();
    }

    private Outcome store(EventId id) {
        if (!stored.contains(id)) {
            stored.add(id);
        }
        return new Outcome.Delivered(new Receipt(STREAM, stored.indexOf(id) + 1L));
    }

    /** A process's way to it. */
    Link link(SimulatedEnvironment process) {
        Link link = new Link(process);
        links.add(link);
        return link;
    }

    /** A connection and, once it was cut off and probed, the next. */
    final class Link {
        private final SimulatedEnvironment process;
        private final List<Consumer<String>> listeners = new ArrayList<>();
        private long connected = incarnation;

        private Link(SimulatedEnvironment process) {
            this.process = process;
        }

        boolean isConnected() {
            return connected == incarnation && !isDown();
        }

        /** The connection that is used now; what is sent by it never arrives by another. */
        long connection() {
            return connected;
        }

        /** Stores what was sent by this connection, if it is still there. */
        Outcome take(long connection, EventId id) {
            return connection == incarnation ? store(id) : Outcome.down("the connection is gone");
        }

        /** What becomes of an answer on its way. */
        Outcome hear(long connection, Outcome answer) {
            return connection == incarnation ? answer : Outcome.down("the connection is gone");
        }

        void onCutOff(Consumer<String> listener) {
            listeners.add(listener);
        }

        private void tell() {
            if (!process.gone()) {
                world.scheduler()
                        .in(world.weather().way(), process, () -> listeners.forEach(each -> each.accept("cut off")));
            }
        }

        CompletionStage<Void> probe() {
            if (isDown()) {
                return CompletableFuture.failedStage(new IllegalStateException("nobody answers"));
            }
            connected = incarnation;
            return CompletableFuture.completedStage(null);
        }

        CompletionStage<List<Boolean>> verify(List<Guarded.Sealed> seals) {
            CompletableFuture<List<Boolean>> answer = new CompletableFuture<>();
            world.scheduler().in(world.weather().way(), process, () -> {
                if (isConnected()) {
                    answer.complete(
                            seals.stream().map(SimulatedBroker.this::has).toList());
                } else {
                    answer.completeExceptionally(new IllegalStateException("the connection is gone"));
                }
            });
            return answer;
        }
    }

    private boolean has(Guarded.Sealed seal) {
        int index = (int) seal.receipt().sequence() - 1;
        return index < stored.size() && stored.get(index).equals(seal.event());
    }
}
