package io.postrider.chaos;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.postrider.Postrider;
import io.postrider.operate.DestinationStatus;
import io.postrider.operate.Ledger;
import io.postrider.postgres.PostgresStore;
import io.postrider.tck.server.NatsServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;

/** NATS is away for long under load, and comes back: the backlog goes as fast as any other. */
final class BrokerOutage implements BrokerScenario {
    /** Of the rate of an undisturbed drain; the rest is what measuring a few seconds on a busy machine costs. */
    static final double RATE_MIN = 0.7;

    private static final int PER_SECOND = 500;
    private static final int WARM_UP = 20_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration STEADY = Duration.ofSeconds(2);
    private static final Duration SILENCE = Duration.ofSeconds(20);
    private static final int CONNECTIONS = 12;

    /** NATS takes messages for so long and answers none before it is killed, so that some are under way for sure. */
    private static final Duration STANDSTILL = Duration.ofMillis(500);

    private final Duration outage;
    private final double rateMin;

    BrokerOutage(Duration outage) {
        this(outage, RATE_MIN);
    }

    BrokerOutage(Duration outage, double rateMin) {
        if (outage.toSeconds() < 1) {
            throw new IllegalArgumentException("an outage takes at least a second, got " + outage);
        }
        this.outage = outage;
        this.rateMin = rateMin;
    }

    @Override
    public String name() {
        return "outage";
    }

    @Override
    public String sentence() {
        return "NATS stands still under load, gets SIGKILL and is away for " + outage.toSeconds()
                + " s; what waits goes to it when it is back, as fast as a backlog that no outage has caused.";
    }

    @Override
    public BrokerResult run(Path logs) throws Exception {
        Files.createDirectories(logs);
        try (Parts parts = new Parts()) {
            return new Run(parts).run();
        }
    }

    /** How fast so many events went. */
    private record Drain(long events, Duration took) {
        double perSecond() {
            return events * 1_000.0 / Math.max(1, took.toMillis());
        }
    }

    private final class Run {
        private final HarnessThreads threads = new HarnessThreads();
        private final MeterRegistry registry = new SimpleMeterRegistry();
        private final BrokerResult.Findings findings = new BrokerResult.Findings();
        private final Parts parts;
        private final NatsServer nats;
        private final HikariDataSource pool;
        private final Feed feed;
        private long settled;

        Run(Parts parts) throws Exception {
            this.parts = parts;
            Server server = parts.opened(Server.start(Setup.PLAIN.postgres()));
            nats = parts.opened(NatsServer.in(parts.folder())).start();
            pool = parts.opened(server.database().pool("harness", CONNECTIONS, SILENCE));
            Postrider<Connection> appending = parts.opened(Postrider.on(PostgresStore.of(pool)));
            Feed.create(pool);
            feed = new Feed(pool, appending.outbox());
        }

        BrokerResult run() throws Exception {
            warmUp();
            long backlog = PER_SECOND * outage.toSeconds();
            feed.append(feed.appended() + backlog, Feed.UNBOUNDED);
            feed.start(threads, Long.MAX_VALUE, PER_SECOND);
            OutageNode node = parts.opened(OutageNode.start(pool, nats.url(), registry));
            Drain undisturbed = drain(node, 0);
            Pause.of(STEADY);
            Drain afterwards = outage(node);
            Pause.of(STEADY);
            feed.stop();
            threads.check();
            Pause.require("the rest", PATIENCE, () -> settled + node.delivered() >= feed.appended());
            node.close();
            compare(undisturbed, afterwards);
            judge(node);
            return findings.of(BrokerOutage.this);
        }

        /** Classes are loaded and compiled before anything is timed. */
        private void warmUp() throws Exception {
            feed.append(WARM_UP, Feed.UNBOUNDED);
            try (OutageNode node = OutageNode.start(pool, nats.url(), new SimpleMeterRegistry())) {
                Pause.require("the warm-up", PATIENCE, () -> node.delivered() >= WARM_UP);
            }
            settled = WARM_UP;
        }

        /** From the first event that is taken until all are gone that wait now; more are appended meanwhile. */
        private Drain drain(OutageNode node, long before) throws Exception {
            long waiting = feed.appended() - settled - before;
            Pause.require("the drain", PATIENCE.plus(outage), () -> node.delivered() >= before + waiting);
            threads.check();
            return new Drain(waiting, Objects.requireNonNull(node.firstAnswer()).age());
        }

        private Drain outage(OutageNode node) throws Exception {
            nats.process().pauseProcess();
            Pause.of(STANDSTILL);
            Instant killed = Instant.now();
            Moment begin = Moment.now();
            nats.process().kill();
            Pause.require(
                    "the news of the outage", PATIENCE, () -> !node.status().isUp());
            node.expectFirst();
            Fault.require(Pause.until(outage, () -> node.down() > 0), "nothing was under way when NATS was killed");
            Pause.of(outage.minus(begin.age()));
            saysDown(node, killed);
            Ledger ledger = node.ledger();
            findings.figure("away", Fault.seconds(begin.age()))
                    .figure("backlog", ledger.pending())
                    .promise(
                            ledger.pending() > PER_SECOND * outage.toSeconds() / 2,
                            "the load did not go on during the outage: " + ledger)
                    .exactly("parked during the outage", 0, ledger.counts().parked());
            long before = node.delivered();
            nats.start();
            Moment back = Moment.now();
            Pause.require("the first event after the outage", PATIENCE, () -> node.firstAnswer() != null);
            findings.figure("from its return to the first event", Fault.seconds(back.age()));
            return drain(node, before);
        }

        private void saysDown(OutageNode node, Instant killed) {
            DestinationStatus status = node.status();
            Instant since = status.downSince();
            double gauge = registry.get("postrider.destination.down").gauge().value();
            findings.promise(since != null, "destinations() did not say that it is down: " + status)
                    .promise(gauge == 1, "postrider_destination_down was " + gauge + " during the outage");
            if (since != null) {
                Duration late = Duration.between(killed, since);
                findings.figure("said to be down since, after the kill", Fault.seconds(late))
                        .promise(
                                late.toSeconds() < 15,
                                "it was down since " + killed + " and destinations() says " + since);
            }
            findings.figure("postrider_destination_down during the outage", Math.round(gauge));
        }

        private void compare(Drain undisturbed, Drain afterwards) {
            double ratio = afterwards.perSecond() / undisturbed.perSecond();
            findings.figure("undisturbed drain", tell(undisturbed))
                    .figure("drain after the outage", tell(afterwards))
                    .figure("ratio", String.format(Locale.ROOT, "%.2f", ratio))
                    .promise(ratio >= rateMin, "the drain after the outage was slower: " + ratio);
        }

        private static String tell(Drain drain) {
            return String.format(Locale.ROOT, "%d events, %.0f/s", drain.events(), drain.perSecond());
        }

        private void judge(OutageNode node) throws Exception {
            long appended = feed.appended();
            Ledger ledger = node.ledger();
            findings.figure("events", appended)
                    .exactly("delivered", appended, ledger.counts().delivered())
                    .exactly("dead", 0, ledger.counts().dead())
                    .exactly("parked", 0, ledger.counts().parked())
                    .exactly("highest attempt of any event", 1, node.attempts())
                    .figure("dispatched again", node.down())
                    .figure("window", node.window())
                    .promise(
                            node.down() <= node.window(),
                            "more were dispatched again than can be under way: " + node.down());
            try (StreamView stream = StreamView.of(nats.url())) {
                int distinct = stream.distinctEvents();
                findings.exactly("different events in the stream", appended, distinct)
                        .exactly("messages beyond the first of an event", 0, stream.messages() - distinct);
            }
            double gauge = registry.get("postrider.destination.down").gauge().value();
            findings.promise(gauge == 0, "postrider_destination_down was " + gauge + " after the outage");
        }
    }
}
