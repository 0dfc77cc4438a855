package io.postrider.chaos;

import io.postrider.operate.Counts;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A version that handles one more type comes node by node, goes, and comes again, while both types are written. */
final class Deploy implements Scenario {
    private static final NodeOptions OLDER = NodeOptions.DEFAULT.types(NumberedEvent.TYPE);
    private static final NodeOptions NEWER = NodeOptions.DEFAULT.types(NumberedEvent.TYPE, NumberedEvent.LATER_TYPE);
    /** How long the older version runs alone, so that it skips something. */
    private static final Duration OLDER_ALONE = Duration.ofMillis(1_500);

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Override
    public String name() {
        return "deploy";
    }

    @Override
    public String sentence() {
        return "A version with one more event type replaces the nodes one by one, is rolled back and deployed again;"
                + " nothing of that type is skipped while the version runs, and a replay brings the rest.";
    }

    @Override
    public Setup setup() {
        return Setup.PLAIN.options(OLDER);
    }

    @Override
    public Fault strike(Cluster cluster) throws Exception {
        Moment begin = Moment.now();
        Deployment deployment = new Deployment(cluster);
        cluster.table().mix();
        Pause.of(OLDER_ALONE);
        Moment first = deployment.roll(NEWER);
        Moment until = Moment.now();
        deployment.requireArrival(written -> isLater(cluster, written)
                && first.isBefore(written.asked())
                && written.at().isBefore(until));
        deployment.roll(OLDER);
        Pause.of(OLDER_ALONE);
        Moment again = deployment.roll(NEWER);
        Duration rolling = begin.age();
        Set<UUID> skipped = deployment.skipped();
        deployment.requireTold(skipped, until, again);
        deployment.requireReplay(skipped);
        return Fault.over(deployment.replaced + " nodes replaced in " + Fault.seconds(rolling) + ", " + skipped.size()
                        + " events skipped and replayed")
                .order(new Order(event -> event.key() + cluster.table().isLater(event.id()), skipped))
                .promise(c -> deployment.outOfOrder(skipped))
                .promise(c -> List.copyOf(deployment.broken))
                .promise(Promises::everythingIsSettled)
                .promise(Promises::noTransactionFailed);
    }

    private static boolean isLater(Cluster cluster, WriterLedger.Written written) {
        return cluster.table().isLater(written.event().id());
    }

    /** What was done, and what did not hold. */
    private static final class Deployment {
        private final Cluster cluster;
        private final List<String> broken = new ArrayList<>();
        /** Nodes of the older version. */
        private final Set<String> older = new HashSet<>();

        private int replaced;

        Deployment(Cluster cluster) {
            this.cluster = cluster;
            cluster.nodes().forEach(node -> older.add(node.name()));
        }

        /** Replaces each node, the new one first; returns when the first one had its filter in force. */
        Moment roll(NodeOptions version) throws Exception {
            List<NodeProcess> before = cluster.alive();
            Moment inForce = null;
            for (NodeProcess node : before) {
                NodeProcess replacement = cluster.startNode(version);
                if (version.equals(OLDER)) {
                    older.add(replacement.name());
                }
                inForce = inForce == null ? Moment.now() : inForce;
                node.terminate();
                Fault.require(node.endedBy(Signal.TERM), node.name() + " did not end by SIGTERM");
                replaced++;
            }
            cluster.awaitOwners();
            return inForce == null ? Moment.now() : inForce;
        }

        /** Each of these must have arrived, without any replay. */
        void requireArrival(Predicate<WriterLedger.Written> which) throws Exception {
            List<UUID> expected = cluster.ledger().committed().values().stream()
                    .filter(which)
                    .map(written -> written.event().id())
                    .toList();
            Fault.require(!expected.isEmpty(), "nothing of the new type was written while its version ran");
            if (!Pause.until(PATIENCE, () -> unseen(expected).isEmpty())) {
                broken.add(unseen(expected).size() + " of " + expected.size()
                        + " events of the new type did not arrive although their version ran: "
                        + unseen(expected).subList(0, 1));
            }
        }

        private List<UUID> unseen(List<UUID> events) {
            return events.stream()
                    .filter(event -> !cluster.receiver().hasSeen(event))
                    .toList();
        }

        /** The ledger and the search agree, and no event is missing in both of them and at the receiver. */
        Set<UUID> skipped() throws Exception {
            Moment now = Moment.now();
            try (Operator operator = cluster.operator()) {
                Set<UUID> skipped = operator.skipped();
                Counts counts = operator.ledger().counts();
                if (counts.skipped() != skipped.size()) {
                    broken.add(
                            "the ledger has " + counts.skipped() + " events as skipped, and search " + skipped.size());
                }
                List<UUID> others = cluster.ledger().committed().values().stream()
                        .filter(written -> written.at().isBefore(now))
                        .map(written -> written.event().id())
                        .filter(event -> !skipped.contains(event))
                        .toList();
                if (!Pause.until(PATIENCE, () -> unseen(others).isEmpty())) {
                    broken.add(unseen(others).size() + " events are neither delivered nor told as skipped: "
                            + unseen(others).subList(0, 1));
                }
                return skipped;
            }
        }

        /** Events of the new type alone were skipped, before and between, and none once the new version was there. */
        void requireTold(Set<UUID> skipped, Moment rolledBack, Moment again) throws Unmeasured {
            List<WriterLedger.Written> written = cluster.ledger().committed().values().stream()
                    .filter(each -> skipped.contains(each.event().id()))
                    .toList();
            Fault.require(
                    written.stream().anyMatch(each -> each.at().isBefore(rolledBack)), "nothing was skipped first");
            Fault.require(
                    written.stream().anyMatch(each -> rolledBack.isBefore(each.asked())),
                    "nothing was skipped after the rollback");
            written.stream()
                    .filter(each -> !isLater(cluster, each))
                    .forEach(each -> broken.add("an event was skipped that every version handles: " + each.event()));
            written.stream()
                    .filter(each -> again.isBefore(each.asked()))
                    .forEach(each -> broken.add("an event was skipped although its version ran: " + each.event()));
        }

        /**
         * The types among each other. An event that came at the older version and was not settled there comes once more
         * at the newer one, behind those of its key that the older one did not take; that is the arrival that counts.
         */
        List<String> outOfOrder(Set<UUID> skipped) throws Exception {
            List<Arrival> arrivals = cluster.receiver().arrivals();
            Set<UUID> atNewer = arrivals.stream()
                    .filter(arrival -> !older.contains(arrival.node()))
                    .map(arrival -> arrival.event().id())
                    .collect(Collectors.toSet());
            List<Arrival> counting = arrivals.stream()
                    .filter(arrival -> !older.contains(arrival.node())
                            || !atNewer.contains(arrival.event().id()))
                    .toList();
            try (Connection connection = cluster.connect("harness")) {
                List<NumberedEvent> stored = KeyTable.committed(connection);
                return new Judge(stored, cluster.ledger(), counting, Order.OF_KEYS.replayed(skipped))
                        .inversions().stream()
                                .map(event -> "out of order among the types " + event)
                                .toList();
            }
        }

        void requireReplay(Set<UUID> skipped) throws Exception {
            try (Operator operator = cluster.operator()) {
                long replayed = operator.replaySkipped();
                if (replayed != skipped.size()) {
                    broken.add("a replay is about " + replayed + " of " + skipped.size() + " skipped events");
                }
            }
            if (!Pause.until(PATIENCE, () -> unseen(List.copyOf(skipped)).isEmpty())) {
                broken.add(unseen(List.copyOf(skipped)).size() + " skipped events did not come by the replay");
            }
        }
    }
}
