package io.postrider.chaos;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.destination.Placed;
import io.postrider.operate.Ledger;
import io.postrider.postgres.PostgresStore;
import io.postrider.tck.server.NatsServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The parts of a relay: PostgreSQL, a producer, NATS, a consumer and a second PostgreSQL, each a process that can be
 * killed and comes back. Used by one thread.
 */
final class RelayCluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SILENCE = Duration.ofSeconds(20);
    private static final int CONNECTIONS = 3;

    private final Path logs;
    private final Parts parts = new Parts();
    private final HarnessThreads threads = new HarnessThreads();
    private final Server first;
    private final Server second;
    private final NatsServer nats;
    private final PostgresStore log;
    private final PostgresStore inbox;
    private final Feed feed;
    private final Effects effects;
    private NodeProcess producer;
    private NodeProcess consumer;
    private int started;

    private RelayCluster(Path logs) throws Exception {
        Parts.delete(logs); // what is told is counted
        this.logs = Files.createDirectories(logs);
        try {
            first = parts.opened(Server.start(Setup.PLAIN.postgres()));
            second = parts.opened(Server.start(Setup.PLAIN.postgres()));
            nats = parts.opened(NatsServer.in(parts.folder())).start();
            HikariDataSource atFirst = pool(first);
            HikariDataSource atSecond = pool(second);
            log = PostgresStore.of(atFirst);
            inbox = RelayNode.inbox(atSecond);
            Postrider<Connection> postrider = parts.opened(Postrider.on(log));
            Feed.create(atFirst);
            feed = new Feed(atFirst, postrider.outbox());
            effects = Effects.create(atSecond);
            producer = startProducer();
            consumer = startConsumer();
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    /** Returns once both nodes run; what they log is left in the folder. */
    static RelayCluster start(Path logs) throws Exception {
        return new RelayCluster(logs);
    }

    private HikariDataSource pool(Server server) {
        return parts.opened(server.database().pool("harness", CONNECTIONS, SILENCE));
    }

    private NodeProcess startProducer() throws IOException {
        return startNode("producer-", RelayNode.Producer.class, first);
    }

    private NodeProcess startConsumer() throws IOException {
        return startNode("consumer-", RelayNode.Consumer.class, second);
    }

    private NodeProcess startNode(String kind, Class<?> program, Server server) throws IOException {
        String name = kind + ++started;
        List<String> command = List.of(program.getName(), name, nats.url());
        NodeProcess node = parts.opened(NodeProcess.start(name, command, server.database(), logs));
        node.awaitReady();
        return node;
    }

    /** What can be killed. */
    enum Victim {
        PRODUCER {
            @Override
            void kill(RelayCluster cluster, Duration away) throws Exception {
                cluster.killNode(cluster.producer);
                Pause.of(away);
                cluster.producer = cluster.startProducer();
            }
        },
        CONSUMER {
            @Override
            void kill(RelayCluster cluster, Duration away) throws Exception {
                cluster.killNode(cluster.consumer);
                Pause.of(away);
                cluster.consumer = cluster.startConsumer();
            }
        },
        NATS {
            @Override
            void kill(RelayCluster cluster, Duration away) throws Exception {
                cluster.nats.process().kill();
                Pause.of(away);
                cluster.nats.start();
            }
        },
        FIRST_POSTGRESQL {
            @Override
            void kill(RelayCluster cluster, Duration away) throws Exception {
                cluster.first.crash();
            }
        },
        SECOND_POSTGRESQL {
            @Override
            void kill(RelayCluster cluster, Duration away) throws Exception {
                cluster.second.crash();
            }
        };

        /** Ends it by SIGKILL, and starts it again: PostgreSQL at once, the others after a while. */
        abstract void kill(RelayCluster cluster, Duration away) throws Exception;

        String title() {
            return "kills of " + name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
        }
    }

    private void killNode(NodeProcess node) throws Unmeasured {
        Fault.require(node.alive(), node.name() + " was gone already; its log says why");
        node.kill();
        Fault.require(node.endedBy(Signal.KILL), node.name() + " did not end by SIGKILL");
    }

    /**
     * NATS loses messages that it has acknowledged and given out, as by a power cut: the stream is put back as it was
     * some messages ago, and its consumer stays where it is. Sequence numbers are used again then.
     *
     * @param refilled whether the receiver is away until other messages have the numbers of those that were lost
     * @return how many messages were lost, at least
     */
    long loseGivenOut(long atLeast, boolean refilled) throws Exception {
        Path copy = parts.folder().resolve("copy");
        nats.process().stop();
        nats.copyStorageTo(copy);
        nats.start();
        long copied = lastSequence();
        Pause.require("messages after the copy", PATIENCE, () -> taken() >= copied + atLeast);
        if (refilled) {
            killNode(consumer);
        }
        long taken = taken();
        long told = told(WentBack.TOLD);
        nats.process().stop();
        nats.putBackMessages(copy);
        nats.start();
        if (refilled) {
            Pause.require("others in their places", PATIENCE, () -> lastSequence() > taken);
            consumer = startConsumer();
        }
        if (!Pause.until(PATIENCE, () -> told(WentBack.TOLD) > told)) {
            System.out.println("the source has not said that its stream had gone back");
        }
        return taken - copied;
    }

    /** How often nodes have said this. */
    long told(String words) throws IOException {
        try (Stream<Path> files = Files.list(logs)) {
            long told = 0;
            for (Path file : files.toList()) {
                try (Stream<String> lines = Files.lines(file)) {
                    told += lines.filter(line -> line.contains(words)).count();
                }
            }
            return told;
        }
    }

    /** The newest message that the inbox has received, as it lay in its stream. */
    private long taken() {
        return inbox.receive()
                .newest(RelayNode.SOURCE)
                .map(Placed.Place::sequence)
                .orElse(0L);
    }

    private long lastSequence() throws Exception {
        try (StreamView stream = StreamView.of(nats.url())) {
            return stream.lastSequence();
        }
    }

    void feed(long events, int perSecond) {
        feed.start(threads, events, perSecond);
    }

    Feed feed() {
        return feed;
    }

    Effects effects() {
        return effects;
    }

    Ledger sent() {
        return log.browse().ledger(RelayNode.SENDING);
    }

    Ledger handled() {
        return inbox.browse().ledger(RelayNode.EFFECTS);
    }

    /** Messages that were received again, and not stored again. */
    long repeated() {
        return inbox.receive().repeated(RelayNode.SOURCE);
    }

    /** Stops both nodes as an operator would: what they know is settled then. */
    void stopNodes() throws Exception {
        requireWhole();
        producer.terminate();
        consumer.terminate();
    }

    /** Throws if something broke that nobody here broke. */
    void requireWhole() throws Unmeasured {
        threads.check();
        for (NodeProcess node : List.of(producer, consumer)) {
            if (node.endedByItself()) {
                throw new Unmeasured(node.name() + " ended by itself; its log says why");
            }
        }
    }

    @Override
    public void close() {
        parts.close();
    }
}
