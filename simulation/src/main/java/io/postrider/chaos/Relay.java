package io.postrider.chaos;

import io.postrider.ReceiveOptions;
import io.postrider.operate.Ledger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** From one PostgreSQL through JetStream into the inbox of another, while each part is killed again and again. */
final class Relay implements BrokerScenario {
    private static final Duration AWAY_MAX = Duration.ofSeconds(1);
    /** How long no further effect may show before the rest counts as lost. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** What would come a second time has come by then. */
    private static final Duration AFTERWARDS = Duration.ofSeconds(3);

    /** Messages that a receiver has pulled and not acknowledged, see {@link ReceiveOptions}. */
    private static final long IN_HAND_MAX = ReceiveOptions.DEFAULT.inFlight();
    /** How far before the newest message a source begins again, and what a slow machine adds to it. */
    private static final Duration WENT_BACK = Duration.ofMinutes(2);

    private static final int LOST_MAX = 2_000;
    private static final int LOST_SHARE = 20;

    private final Size size;
    private final long seed;

    /**
     * How much, and how fast.
     *
     * @param perSecond the rate at which events are appended, at most
     * @param between the longest pause between two kills; the shortest is a quarter of it
     */
    record Size(long events, int perSecond, Duration between) {
        static final Size FULL = new Size(200_000, 500, Duration.ofSeconds(8));

        Size {
            if (events < LOST_SHARE || perSecond < 1) {
                throw new IllegalArgumentException("a relay has at least " + LOST_SHARE
                        + " events and one per second, got " + events + " and " + perSecond);
            }
        }

        Size events(long events) {
            return new Size(events, perSecond, between);
        }
    }

    Relay(Size size, long seed) {
        this.size = size;
        this.seed = seed;
    }

    @Override
    public String name() {
        return "relay";
    }

    @Override
    public String sentence() {
        return "Events go from one PostgreSQL through JetStream into the inbox of another and to a handler there, while"
                + " producer, consumer, NATS and both PostgreSQLs get SIGKILL at random and are started again; once"
                + " NATS gets an older copy of its messages back, and its consumer stays where it was.";
    }

    @Override
    public BrokerResult run(Path logs) throws Exception {
        System.out.println("relay: seed " + seed);
        try (RelayCluster cluster = RelayCluster.start(logs)) {
            Moment begin = Moment.now();
            cluster.feed(size.events(), size.perSecond());
            Strikes strikes = new Strikes(cluster);
            strikes.untilTheFeedIsOver();
            Moment calm = Moment.now();
            awaitEffects(cluster);
            Duration recovery = calm.age();
            Duration took = begin.age();
            Pause.of(AFTERWARDS);
            cluster.stopNodes();
            return judge(cluster, strikes, took, recovery);
        }
    }

    /** The kills, in an order that the seed decides. */
    private final class Strikes {
        private final RelayCluster cluster;
        private final Random random = new Random(seed);
        private final Map<RelayCluster.Victim, Integer> kills = new EnumMap<>(RelayCluster.Victim.class);
        private final Deque<RelayCluster.Victim> eachOnce;
        private long lost;

        Strikes(RelayCluster cluster) {
            this.cluster = cluster;
            List<RelayCluster.Victim> all = new ArrayList<>(List.of(RelayCluster.Victim.values()));
            Collections.shuffle(all, random);
            this.eachOnce = new ArrayDeque<>(all);
        }

        void untilTheFeedIsOver() throws Exception {
            while (!cluster.feed().isOver() || !eachOnce.isEmpty()) {
                Pause.of(between(size.between().dividedBy(4), size.between()));
                cluster.requireWhole();
                if (lost == 0 && cluster.feed().appended() > size.events() / 3) {
                    lost = cluster.loseGivenOut(Math.min(LOST_MAX, size.events() / LOST_SHARE), random.nextBoolean());
                } else {
                    kill(next());
                }
            }
            Fault.require(lost > 0, "the feed was over before NATS could lose anything");
        }

        private RelayCluster.Victim next() {
            RelayCluster.Victim[] all = RelayCluster.Victim.values();
            return eachOnce.isEmpty() ? all[random.nextInt(all.length)] : eachOnce.pop();
        }

        private void kill(RelayCluster.Victim victim) throws Exception {
            victim.kill(cluster, between(Duration.ZERO, AWAY_MAX));
            kills.merge(victim, 1, Integer::sum);
        }

        private Duration between(Duration least, Duration most) {
            return least.plusMillis(random.nextInt((int) most.minus(least).toMillis() + 1));
        }

        void tell(BrokerResult.Findings findings) {
            kills.forEach((victim, times) -> findings.figure(victim.title(), times));
            findings.figure("acknowledged messages that NATS lost, at least", lost);
        }

        /**
         * How many messages may come again: those in hand or given out when something was killed, and those of the time
         * before the stream's end that it goes back by. A consumer whose position NATS has lost gives everything again.
         */
        long repeatedMax(long wentBack, long positionsLost) {
            long struck = kills.values().stream().mapToInt(Integer::intValue).sum() + 2L * wentBack;
            return struck * IN_HAND_MAX
                    + wentBack * (lost + WENT_BACK.toSeconds() * size.perSecond())
                    + positionsLost * 2 * size.events();
        }
    }

    private void awaitEffects(RelayCluster cluster) throws Exception {
        long before = 0;
        Moment progress = Moment.now();
        while (before < size.events() && progress.age().compareTo(PATIENCE) < 0) {
            Pause.of(Duration.ofMillis(250));
            cluster.requireWhole();
            long now = cluster.effects().count().events();
            progress = now > before ? Moment.now() : progress;
            before = now;
        }
    }

    private BrokerResult judge(RelayCluster cluster, Strikes strikes, Duration took, Duration recovery)
            throws Exception {
        Effects.Count effects = cluster.effects().count();
        BrokerResult.Findings findings = new BrokerResult.Findings()
                .figure("seed", seed)
                .figure("events", size.events())
                .figure("keys", Feed.KEYS)
                .figure("appended per second, at most", size.perSecond());
        strikes.tell(findings);
        findings.exactly("events without an effect", 0, size.events() - effects.events())
                .exactly("effects beyond the first of an event", 0, effects.twice())
                .exactly("effects out of order within their key", 0, effects.outOfOrder())
                .figure("messages received again, and de-duplicated", cluster.repeated());
        long wentBack = cluster.told(WentBack.TOLD);
        long positionsLost = cluster.told(WentBack.POSITION_LOST);
        findings.figure("times the source said that its stream had gone back", wentBack)
                .figure("times the source said that its consumer had lost its position", positionsLost)
                .promise(wentBack > 0, "the source did not say that its stream had gone back")
                .promise(
                        cluster.repeated() <= strikes.repeatedMax(wentBack, positionsLost),
                        "more was received again than all strikes explain: " + cluster.repeated() + " instead of "
                                + strikes.repeatedMax(wentBack, positionsLost) + " at most");
        addsUp(findings, "sent", cluster.sent());
        addsUp(findings, "handled", cluster.handled());
        return findings.figure("time", Fault.seconds(took))
                .figure("from the last kill to the last effect", Fault.seconds(recovery))
                .of(this);
    }

    private void addsUp(BrokerResult.Findings findings, String side, Ledger ledger) {
        long none =
                ledger.pending() + ledger.counts().parked() + ledger.counts().dead();
        findings.exactly(
                        side + ", by the ledger", size.events(), ledger.counts().delivered())
                .promise(ledger.appended() == size.events(), side + ": the ledger does not add up: " + ledger)
                .exactly("pending, parked or dead where it is " + side, 0, none);
    }
}
