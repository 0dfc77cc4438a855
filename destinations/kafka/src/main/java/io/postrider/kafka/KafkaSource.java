package io.postrider.kafka;

import io.postrider.destination.Placed;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.KafkaException;

/**
 * Messages from Kafka topics, as a member of a consumer group. Each comes again until it is acknowledged: the group's
 * offset in a partition never passes a message that is not.
 *
 * <p>A thread of the source's own reads, keeps the membership alive however long a message takes, and commits; so a
 * {@link #pull} may come late without a partition being lost. When a partition goes to another member, what was not
 * acknowledged goes with it, and answers to it have no effect here.
 *
 * <p>A message that is to come again later does not hold back the later ones of its key. Attempts are counted in
 * memory: after a restart or a rebalance they begin anew. Thread-safe.
 */
public final class KafkaSource implements Placed {
    private final KafkaSourceConfig config;
    private final Mailbox mailbox = new Mailbox();
    private final DeadMessages deadMessages;
    private final Reports reports = new Reports();
    private final Reader reader;
    private final Thread thread;

    private KafkaSource(KafkaSourceConfig config) {
        this.config = config;
        this.deadMessages = new DeadMessages(config);
        this.reader = new Reader(config, mailbox, deadMessages, reports);
        this.thread = new Thread(reader, "postrider-" + config.name());
        thread.setDaemon(true);
    }

    /**
     * A source that begins to read at once. A broker that does not answer, a host that is not known, a topic that does
     * not exist or credentials that are refused fail each {@link #pull} until that changes.
     *
     * @throws IllegalArgumentException if Kafka refuses a setting
     */
    public static KafkaSource open(KafkaSourceConfig config) {
        try {
            if (Settings.unknown(config.servers()) == null) {
                Reader.tryOut(config);
                DeadMessages.tryOut(config);
            }
            KafkaSource source = new KafkaSource(config);
            source.thread.start();
            return source;
        } catch (KafkaException e) {
            throw new IllegalArgumentException(
                    "Kafka refuses the settings of the source '" + config.name() + "' with the servers "
                            + config.servers() + ": " + Failure.words(e),
                    e);
        }
    }

    @Override
    public String name() {
        return config.name();
    }

    /** Given a memory, it is told of partitions that went back. Where to go on is known by Kafka's own offsets. */
    @Override
    public void remember(Memory memory) {
        reports.remember(memory);
    }

    @Override
    public List<Arrival> pull(int most, Duration wait) throws InterruptedException {
        if (most < 1) {
            throw new IllegalArgumentException("most is at least 1, got " + most);
        }
        reports.tell();
        List<KafkaArrival> taken = mailbox.take(most, wait);
        try {
            reports.tell(); // of what was found during the wait, before its messages are given
        } catch (RuntimeException e) {
            mailbox.putBack(taken);
            throw e;
        }
        return List.copyOf(taken);
    }

    /** How many messages were given up since it was opened: logged, and in the dead topic if there is one. */
    public long givenUp() {
        return deadMessages.count();
    }

    @Override
    public boolean countsAttempts() {
        return false;
    }

    /** Commits what is done, leaves the group, and waits for that; what was not acknowledged comes again. */
    @Override
    public void close() {
        mailbox.close();
        deadMessages.close();
        reader.stop();
        try {
            thread.join(2 * config.limits().answerWithin().toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
