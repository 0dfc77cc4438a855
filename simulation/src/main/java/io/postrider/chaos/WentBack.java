package io.postrider.chaos;

import io.postrider.operate.Ledger;
import java.nio.file.Path;
import java.time.Duration;

/** A broker whose stream went back behind its consumer: from one PostgreSQL through JetStream into another. */
final class WentBack implements BrokerScenario {
    /** What a source says when it finds that out. */
    static final String TOLD = "had gone back: ";
    /** What a source says of a consumer that begins from nothing. */
    static final String POSITION_LOST = "has no position";

    /** How long no further effect may show before the rest counts as lost. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Whatever would come a second time has come by then. */
    private static final Duration AFTERWARDS = Duration.ofSeconds(3);

    private static final int PER_SECOND = 500;
    /** Of the events, for each time. */
    private static final int LOST_SHARE = 20;

    private final long events;
    private final int times;

    /** @param times how often the stream goes back; each second time other messages have its numbers at once */
    WentBack(long events, int times) {
        if (times < 1 || events < 2L * LOST_SHARE * times) {
            throw new IllegalArgumentException("a stream goes back at least once, with " + 2 * LOST_SHARE
                    + " events each time, got " + times + " and " + events);
        }
        this.events = events;
        this.times = times;
    }

    @Override
    public String name() {
        return "went-back";
    }

    @Override
    public String sentence() {
        return "Events go from one PostgreSQL through JetStream into the inbox of another and to a handler there; again"
                + " and again NATS is stopped, gets an older copy of its messages back while its consumer stays where"
                + " it was, and is started: other messages get the numbers of those that were lost.";
    }

    @Override
    public BrokerResult run(Path logs) throws Exception {
        try (RelayCluster cluster = RelayCluster.start(logs)) {
            cluster.feed(Long.MAX_VALUE, PER_SECOND);
            long lost = 0;
            for (int time = 0; time < times; time++) {
                long before = (2L * time + 1) * events / (2L * times);
                Pause.require("load", PATIENCE, () -> cluster.effects().count().events() > before);
                lost += cluster.loseGivenOut(events / times / LOST_SHARE, time % 2 == 1);
            }
            Pause.require(
                    "the rest of the load",
                    PATIENCE.multipliedBy(2),
                    () -> cluster.feed().appended() >= events);
            cluster.feed().stop();
            awaitEffects(cluster);
            Pause.of(AFTERWARDS);
            cluster.stopNodes();
            return judge(cluster, lost);
        }
    }

    private static void awaitEffects(RelayCluster cluster) throws Exception {
        long before = 0;
        Moment progress = Moment.now();
        while (before < cluster.feed().appended() && progress.age().compareTo(PATIENCE) < 0) {
            Pause.of(Duration.ofMillis(250));
            cluster.requireWhole();
            long now = cluster.effects().count().events();
            progress = now > before ? Moment.now() : progress;
            before = now;
        }
    }

    private BrokerResult judge(RelayCluster cluster, long lost) throws Exception {
        long appended = cluster.feed().appended();
        Effects.Count effects = cluster.effects().count();
        long told = cluster.told(TOLD);
        Ledger handled = cluster.handled();
        return new BrokerResult.Findings()
                .figure("events", appended)
                .figure("times the stream went back", times)
                .figure("messages that NATS had given out and lost, at least", lost)
                .exactly("events without an effect", 0, appended - effects.events())
                .exactly("effects beyond the first of an event", 0, effects.twice())
                .exactly("effects out of order within their key", 0, effects.outOfOrder())
                .exactly("handled, by the ledger", appended, handled.counts().delivered())
                .figure("messages received again, and de-duplicated", cluster.repeated())
                .figure("times the source said so", told)
                .promise(told >= times, "the source has said " + told + " times that its stream had gone back")
                .of(this);
    }
}
