package io.postrider.engine;

import io.postrider.Lane;
import io.postrider.spi.Claim;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lines about which lanes of a subscription its node has: taken, taken over from whom, handed back. Stateless. */
final class ShareLog {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionRun.class);

    private final String subscription;
    private final String node;

    ShareLog(String subscription, String node) {
        this.subscription = subscription;
        this.node = node;
    }

    void started(SubscriptionSpec spec) {
        LOG.info(
                "Subscription '{}' starts on node {}: events of {}, {}",
                subscription,
                node,
                spec.routes().fingerprint(),
                spec.isQueue() ? "as tasks of a queue" : spec.ordered() ? "in order per key" : "in any order");
    }

    void taken(List<Claim.ClaimedLane> claimed) {
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

    void handsBack(Collection<Lane> lanes, String why) {
        if (!lanes.isEmpty()) {
            LOG.info("Node {} hands back {} of subscription '{}': {}", node, words(lanes), subscription, why);
        }
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
