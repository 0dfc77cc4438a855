package io.postrider.engine.lane;

import io.postrider.Environment;
import io.postrider.Lane;
import io.postrider.engine.base.Stumbles;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.store.Claim;
import io.postrider.store.Ownership;
import io.postrider.text.Logs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/**
 * The lines about which lanes of a subscription its node has: taken, taken over from whom, handed back, lost. Lanes
 * find out one by one that they were lost or handed back; what they find within a moment is one incident, and one line.
 * Thread-safe.
 */
public final class ShareLog {
    static final String LOST = "it was lost before it settled";
    public static final String STOPS = "the node stops";
    public static final String REMOVED = "the subscription was removed";
    public static final String FILTER = "another node has changed its filter";
    public static final String TAKEN = "another node has taken them, or the store has recovered from a crash";
    private static final String LEASE_OVER = "the lease of this node was over";

    private static final Logger LOG = Logs.of(ShareLog.class);
    /** After the first lane is lost, the others are likely to find out within this while. */
    private static final Duration INCIDENT = Duration.ofSeconds(1);

    private final String subscription;
    private final String node;
    private final Environment environment;
    private final Supplier<String> cause;
    private final Stumbles stumbles;
    private final Map<Lane, String> handingBack = new HashMap<>();
    /** Lanes that were handed back and not told yet, by the reason. */
    private final Map<String, Set<Lane>> handedBack = new TreeMap<>();
    /** Lanes that were lost and not told yet. */
    private final Map<Lane, Loss> lost = new TreeMap<>();

    private boolean leaseOver;
    private Environment.Timer telling = () -> {};

    /** What the loss of a lane comes to. */
    enum Loss {
        /** All that was dispatched had been settled. */
        NOTHING,
        /** Effects that were to commit with the settlement are undone. */
        ROLLED_BACK,
        /** Some events had been dispatched and were not settled. */
        DISPATCHED
    }

    /** @param cause why lanes are lost, as far as this node knows by then */
    public ShareLog(String subscription, String node, Environment environment, Supplier<String> cause) {
        this.subscription = subscription;
        this.node = node;
        this.environment = environment;
        this.cause = cause;
        this.stumbles = new Stumbles(LOG, environment);
    }

    public void started(SubscriptionSpec spec) {
        LOG.info(
                "Subscription '{}' starts on node {}: events of {}, {}",
                subscription,
                node,
                spec.routes().fingerprint(),
                spec.isQueue() ? "as tasks of a queue" : spec.ordered() ? "in order per key" : "in any order");
    }

    public void taken(List<Claim.ClaimedLane> claimed) {
        Map<String, List<Lane>> over = new TreeMap<>();
        for (Claim.ClaimedLane each : claimed) {
            String from = each.takenFrom();
            if (from != null && !from.equals(node)) {
                over.computeIfAbsent(from, owner -> new ArrayList<>()).add(lane(each));
            }
        }
        List<Lane> free = claimed.stream()
                .filter(each -> each.takenFrom() == null || Objects.equals(each.takenFrom(), node))
                .map(ShareLog::lane)
                .toList();
        if (!free.isEmpty()) {
            LOG.info("Node {} takes {} of subscription '{}'", node, words(free), subscription);
        }
        over.forEach((from, lanes) -> LOG.info(
                "Node {} takes over {} of subscription '{}' from node {}, whose lease ended; events that were under way"
                        + " there are dispatched again",
                node,
                words(lanes),
                subscription,
                from));
    }

    // ---- handed back and lost --------------------------------------------------------------------------------------

    /** The lease is over, and with it lanes are lost, if there are any. */
    public synchronized void leaseOver(boolean any) {
        leaseOver |= any;
    }

    /** A lane is to be handed back; told once it has been. */
    public synchronized void handsBack(Lane lane, String why) {
        handingBack.put(lane, why);
    }

    /** The store has taken a lane back, or has not, because this node had lost it and what it left with it. */
    synchronized void returned(Lane lane, boolean released, Loss left) {
        if (!released) {
            lost(lane, left);
            return;
        }
        tellLater();
        String why = handingBack.remove(lane);
        handedBack
                .computeIfAbsent(why == null ? STOPS : why, reason -> new TreeSet<>())
                .add(lane);
    }

    /** This node has lost a lane. */
    synchronized void lost(Lane lane, Loss loss) {
        tellLater();
        handingBack.remove(lane);
        lost.put(lane, loss);
    }

    private void tellLater() {
        if (lost.isEmpty() && handedBack.isEmpty()) {
            telling = environment.schedule(INCIDENT, this::tell);
        }
    }

    /** Tells what has not been told yet. */
    public synchronized void tell() {
        telling.cancel();
        tellHandedBack();
        tellLost();
    }

    /** A lane has ended; what was handed back is told once nothing else is on its way. */
    public synchronized void ended(boolean last) {
        if (last) {
            tellHandedBack();
        }
    }

    private void tellHandedBack() {
        handedBack.forEach((why, lanes) ->
                LOG.info("Node {} hands back {} of subscription '{}': {}", node, words(lanes), subscription, why));
        handedBack.clear();
    }

    private void tellLost() {
        if (lost.isEmpty()) {
            return;
        }
        String lanes = words(lost.keySet());
        String why = leaseOver ? LEASE_OVER : cause.get();
        if (why.equals(REMOVED)) {
            LOG.info("Node {} no longer has {} of subscription '{}': {}", node, lanes, subscription, why);
        } else if (lost.values().stream().allMatch(Loss.NOTHING::equals)) {
            LOG.info(
                    "Node {} no longer has {} of subscription '{}': {}. All that it had dispatched of them was settled",
                    node,
                    lanes,
                    subscription,
                    why);
        } else {
            LOG.warn(
                    "Node {} no longer has {} of subscription '{}': {}{}{}",
                    node,
                    lanes,
                    subscription,
                    why,
                    of(
                            Loss.DISPATCHED,
                            "had been dispatched and were not settled: they may be delivered a second time"),
                    of(Loss.ROLLED_BACK, "are dispatched again, as their transactions were rolled back"));
        }
        lost.clear();
        leaseOver = false;
    }

    /** A lane has ended for a reason that nobody expects. */
    void stumbled(Ownership lane, Loss loss, Throwable unexpected) {
        String again =
                loss == Loss.DISPATCHED ? ", and events that it had dispatched may be delivered a second time" : "";
        stumbles.tell("lane", lane.inWords() + " failed unexpectedly; the lane is claimed anew" + again, unexpected);
    }

    private String of(Loss loss, String consequence) {
        List<Lane> lanes =
                lost.keySet().stream().filter(lane -> lost.get(lane) == loss).toList();
        return lanes.isEmpty() ? "" : ". Events of " + words(lanes) + " " + consequence;
    }

    private static Lane lane(Claim.ClaimedLane claimed) {
        return claimed.ownership().lane();
    }

    private static String words(Collection<Lane> lanes) {
        String numbers =
                lanes.stream().map(Lane::number).sorted().map(String::valueOf).collect(Collectors.joining(", "));
        return lanes.size() == 1 ? "lane " + numbers : lanes.size() + " lanes (" + numbers + ")";
    }
}
