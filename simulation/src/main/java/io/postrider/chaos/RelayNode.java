package io.postrider.chaos;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.nats.JetStreamConfig;
import io.postrider.nats.JetStreamDestination;
import io.postrider.nats.JetStreamSource;
import io.postrider.nats.JetStreamSourceConfig;
import io.postrider.nats.Servers;
import io.postrider.nats.StreamSpec;
import io.postrider.nats.Streams;
import io.postrider.policy.NodeLimits;
import io.postrider.postgres.PostgresStore;
import io.postrider.postgres.PostgresStoreConfig;
import java.sql.Connection;
import java.time.Duration;

/** One side of a relay as a process of its own, as an application would run it; it ends as a {@link DeliveryNode}. */
final class RelayNode {
    static final String STREAM = "CHAOS";
    static final String SUBJECTS = "chaos.>";
    static final String SENDING = "relay";
    static final String EFFECTS = "effects";
    static final String DURABLE = "inbox";
    /** What the inbox knows the messages by. */
    static final String SOURCE = "jetstream/" + STREAM + "/" + DURABLE;

    /** Seals are found by it, so that it is the same for all who send to that stream. */
    static final String DESTINATION = "jetstream";

    private static final int POOL = 12;
    private static final Duration SILENCE = Duration.ofSeconds(5);
    /** Short, because a message whose receiver was killed comes again after it, and the trial waits. */
    private static final Duration ACK_WAIT = Duration.ofSeconds(2);
    /** Longer than any outage here: what is dispatched again by then is stored once. */
    private static final Duration DUPLICATE_WINDOW = Duration.ofHours(1);

    private RelayNode() {}

    /** From the log of the first PostgreSQL to JetStream. */
    static final class Producer {
        private Producer() {}

        /** Arguments: the name of the node, the address of NATS. */
        public static void main(String[] arguments) throws Exception {
            HikariDataSource pool = Database.inherited().pool(arguments[0], POOL, SILENCE);
            Postrider<Connection> postrider = Postrider.on(PostgresStore.of(pool), config(arguments[0]));
            JetStreamDestination jetStream = JetStreamDestination.start(destination(arguments[1]));
            postrider.subscribe(SENDING).to("**", jetStream).start();
            runUntilToldToStop(postrider, jetStream, pool);
        }
    }

    /** From JetStream into the inbox of the second PostgreSQL, and from there to a handler with an effect in it. */
    static final class Consumer {
        private Consumer() {}

        /** Arguments: the name of the node, the address of NATS. */
        public static void main(String[] arguments) throws Exception {
            HikariDataSource pool = Database.inherited().pool(arguments[0], POOL, SILENCE);
            Postrider<Connection> postrider = Postrider.on(inbox(pool), config(arguments[0]));
            postrider
                    .subscribe(EFFECTS)
                    .onTransaction(
                            NumberedEvent.TYPE,
                            NumberedEvent.Content.class,
                            (transaction, content, context) ->
                                    Effects.add(transaction, context.key().orElseThrow(), content.sequence()))
                    .start();
            JetStreamSource source = JetStreamSource.open(source(arguments[1]));
            postrider.receive(source);
            runUntilToldToStop(postrider, source, pool);
        }
    }

    static PostgresStore inbox(HikariDataSource pool) {
        return PostgresStore.of(pool, PostgresStoreConfig.INBOX);
    }

    static JetStreamConfig destination(String url) {
        StreamSpec stream = StreamSpec.of(STREAM, SUBJECTS).duplicateWindow(DUPLICATE_WINDOW);
        return JetStreamConfig.of(Servers.at(url).name(DESTINATION)).streams(Streams.create(stream));
    }

    private static JetStreamSourceConfig source(String url) {
        return JetStreamSourceConfig.of(Servers.at(url), STREAM, DURABLE)
                .create(true)
                .ackWait(ACK_WAIT);
    }

    static PostriderConfig config(String name) {
        NodeLimits limits = NodeLimits.builder()
                .lease(DeliveryNode.LEASE)
                .backoffMax(Duration.ofSeconds(1))
                .build();
        return PostriderConfig.defaults().node(name).limits(limits);
    }

    private static void runUntilToldToStop(AutoCloseable... lastFirst) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            for (AutoCloseable part : lastFirst) {
                try {
                    part.close();
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }
        }));
        System.out.println(DeliveryNode.READY);
        DeliveryNode.waitForEndOfInput();
        System.exit(0);
    }
}
