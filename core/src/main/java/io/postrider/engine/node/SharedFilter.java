package io.postrider.engine.node;

import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.policy.Start;
import io.postrider.store.FilterText;
import io.postrider.store.Subscriptions;
import io.postrider.text.Logs;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/**
 * The filter of a subscription, which its nodes have in common: who changes it, and what operators are told of it.
 * Thread-safe.
 */
final class SharedFilter {
    private static final Logger LOG = Logs.of(SharedFilter.class);

    private final Subscriptions store;
    private final SubscriptionSpec spec;
    private final String own;
    private volatile boolean registered;

    SharedFilter(Subscriptions store, SubscriptionSpec spec) {
        this.store = store;
        this.spec = spec;
        this.own = spec.fingerprint();
    }

    /** This node's, whether it is in force or not. */
    String own() {
        return own;
    }

    void register(String node) {
        Subscriptions.Registered done = store.register(spec.name(), spec.start(), own, node);
        registered = true;
        if (done.created()) {
            tellCreated(done.ahead());
        }
        if (done.replaced() != null) {
            tellChanged(done.replaced(), done.others());
        }
    }

    /** Whether the store knows the subscription by now. */
    boolean isRegistered() {
        return registered;
    }

    private void tellCreated(long ahead) {
        if (ahead > 0 && spec.start() instanceof Start.Beginning) {
            LOG.info(
                    "Subscription '{}' is new and starts at the beginning of the log: about {} events that are there"
                            + " already are delivered to it first. Start.end() leaves them out",
                    spec.name(),
                    ahead);
        }
    }

    private void tellChanged(String before, List<String> others) {
        LOG.warn(
                "Subscription '{}' changes its filter from '{}' to '{}', with which this node starts: lanes pass"
                        + " events under it from here on{}",
                spec.name(),
                before,
                own,
                consequences(before, own));
        if (!others.isEmpty()) {
            LOG.warn(
                    "Subscription '{}' has another filter on {}: those nodes stand by and deliver nothing of it while"
                            + " a node with '{}' lives. If they belong to another application, give it a name of its"
                            + " own for its subscription",
                    spec.name(),
                    String.join(", ", others),
                    own);
        }
    }

    /** Both halves of a change: what is taken no longer, and what was not taken before. */
    static String consequences(String before, String after) {
        String gone = beside(after, before);
        String come = beside(before, after);
        return kind(new FilterText(before), new FilterText(after))
                + (gone.isEmpty()
                        ? ""
                        : ". No longer taken: '" + gone + "'; what only that takes is skipped when its turn comes, also"
                                + " what waits for a retry, and a replay under the old filter delivers it")
                + (come.isEmpty()
                        ? ""
                        : ". New: '" + come
                                + "'; what the old filter skipped stays skipped, and a replay delivers it."
                                + " Skips that no lane had settled yet are looked at again: some earlier events may be"
                                + " delivered");
    }

    private static String kind(FilterText before, FilterText after) {
        String queue = before.isQueue() == after.isQueue()
                ? ""
                : after.isQueue()
                        ? ". The subscription is a queue from here on: events that wait in its lanes become tasks"
                        : ". The subscription is no queue any more: its tasks wait in its lanes from here on";
        String blocked = before.staysBlocked() == after.staysBlocked()
                ? ""
                : after.staysBlocked()
                        ? ". From here on dead events block their keys, and stay until someone decides"
                        : ". From here on keys go on behind their dead events";
        String effect = before.settlesWithEffect() == after.settlesWithEffect()
                ? ""
                : after.settlesWithEffect()
                        ? ". From here on settlements commit with the effects of handlers"
                        : ". From here on a record commits with each effect of a transactional handler";
        return queue + blocked + effect;
    }

    /** The patterns that one filter has beside those of another. */
    private static String beside(String filter, String other) {
        List<String> known = List.of(new FilterText(filter).patterns().split(" "));
        return Arrays.stream(new FilterText(other).patterns().split(" "))
                .filter(pattern -> !known.contains(pattern))
                .collect(Collectors.joining(" "));
    }

    void tellStandBy(String stored) {
        LOG.warn(
                "Subscription '{}' stands by on this node: another node has changed its filter from '{}' to '{}', and"
                        + " delivers it alone. This node takes part again when the filter is changed back, or when no"
                        + " live node has had the other one for two leases. If the other node belongs to another"
                        + " application, give it a name of its own for its subscription",
                spec.name(),
                own,
                stored);
    }

    /**
     * Makes this node's filter the subscription's again if the node that brought another one is gone for so long;
     * whether it has.
     */
    boolean takeBack(String node, Duration unheld) {
        Optional<String> given = store.takeBack(spec.name(), own, unheld, node);
        given.ifPresent(former -> LOG.warn(
                "Subscription '{}' changes its filter back from '{}' to '{}': no live node has had the former for {} s."
                        + " Events that only the former takes are skipped from here on",
                spec.name(),
                former,
                own,
                Math.max(1, unheld.toSeconds())));
        return given.isPresent();
    }
}
