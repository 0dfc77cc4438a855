package io.postrider.kafka;

import io.postrider.destination.SourceException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that has the consumer to itself: it polls without a break, so that the group never takes it for dead, puts
 * what it reads into the mailbox, and commits what is done. While too much waits for an answer its partitions are
 * paused, and the polls bring nothing.
 *
 * <p>A consumer that fails is closed and another one made. The partitions' progress is lost then: messages that were
 * not done come again.
 */
final class Reader implements Runnable {
    private static final Duration POLL = Duration.ofMillis(100);
    /** While paused: someone may have made room. */
    private static final Duration POLL_PAUSED = Duration.ofMillis(10);

    private static final Duration ANOTHER_CONSUMER_AFTER = Duration.ofSeconds(1);
    private static final Logger log = LoggerFactory.getLogger(KafkaSource.class);

    private final KafkaSourceConfig config;
    private final Mailbox mailbox;
    private final DeadMessages deadMessages;
    private final Reports reports;
    private final CommitTrouble commitTrouble;
    private final CountDownLatch stopping = new CountDownLatch(1);

    Reader(KafkaSourceConfig config, Mailbox mailbox, DeadMessages deadMessages, Reports reports) {
        this.config = config;
        this.mailbox = mailbox;
        this.deadMessages = deadMessages;
        this.reports = reports;
        this.commitTrouble = new CommitTrouble(config.name(), config.group());
    }

    /** Fails if no consumer can be made with these settings. */
    static void tryOut(KafkaSourceConfig config) {
        consumer(config).close(CloseOptions.timeout(Duration.ZERO));
    }

    private static Consumer<byte[], byte[]> consumer(KafkaSourceConfig config) {
        String unknown = Settings.unknown(config.servers());
        if (unknown != null) {
            throw new IllegalStateException(unknown); // Kafka itself would not say whom it does not know
        }
        return new KafkaConsumer<>(Settings.consumer(config), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Lets the reader end after its present poll. */
    void stop() {
        stopping.countDown();
    }

    @Override
    public void run() {
        while (!isStopping()) {
            try {
                new Membership(consumer(config)).live();
            } catch (RuntimeException e) {
                tell(e);
                pause();
            }
        }
    }

    private boolean isStopping() {
        return stopping.getCount() == 0;
    }

    private void tell(RuntimeException failure) {
        mailbox.fail(new SourceException(
                "Kafka at " + config.servers() + " gives the source '" + config.name() + "' nothing: "
                        + Failure.words(failure),
                failure));
    }

    private void pause() {
        try {
            boolean stopped = stopping.await(ANOTHER_CONSUMER_AFTER.toMillis(), TimeUnit.MILLISECONDS);
            log.debug("Kafka source {} tries again, unless it is stopped: {}", config.name(), stopped);
        } catch (InterruptedException e) {
            stop();
        }
    }

    /** The life of one consumer. */
    private final class Membership implements ConsumerRebalanceListener {
        private final Consumer<byte[], byte[]> consumer;
        private final Map<TopicPartition, PartitionProgress> partitionsRead = new HashMap<>();
        private final Commits commits;
        private boolean isMember;
        private long heardNanos = System.nanoTime();

        Membership(Consumer<byte[], byte[]> consumer) {
            this.consumer = consumer;
            this.commits = new Commits(config, consumer, commitTrouble);
        }

        void live() {
            try {
                requireTopics();
                consumer.subscribe(config.topics(), this);
                while (!isStopping()) {
                    step();
                }
                commits.now(partitionsRead.values());
            } finally {
                lose(List.copyOf(partitionsRead.keySet()));
                consumer.close(CloseOptions.timeout(config.limits().answerWithin()));
            }
        }

        private void requireTopics() {
            Stream.concat(config.topics().stream(), Stream.ofNullable(config.deadTopic()))
                    .filter(topic -> consumer.partitionsFor(
                                    topic, config.limits().answerWithin())
                            .isEmpty())
                    .findFirst()
                    .ifPresent(topic -> {
                        throw new IllegalStateException("the topic '" + topic + "' does not exist");
                    });
        }

        private void step() {
            boolean full = isFull();
            if (full) {
                consumer.pause(consumer.assignment());
            } else {
                consumer.resume(consumer.paused());
            }
            ConsumerRecords<byte[], byte[]> records = poll(full ? POLL_PAUSED : POLL);
            records.partitions().forEach(partition -> keep(partition, records.records(partition)));
            commits.ifDue(partitionsRead.values());
            listen(!records.isEmpty());
        }

        /** Full means that one more read might be more than the limit. */
        private boolean isFull() {
            int held = partitionsRead.values().stream()
                    .mapToInt(PartitionProgress::unacknowledged)
                    .sum();
            return held > config.limits().unacknowledged() - config.limits().readAtOnce();
        }

        private ConsumerRecords<byte[], byte[]> poll(Duration wait) {
            try {
                return consumer.poll(wait);
            } catch (LogTruncationException e) {
                goBack(e);
            } catch (OffsetOutOfRangeException e) {
                goOnWithTheOldest(e.offsetOutOfRangePartitions());
            } catch (NoOffsetForPartitionException e) {
                begin(e.partitions());
            }
            return ConsumerRecords.empty();
        }

        /** A partition has lost its end, and other messages have its offsets now. */
        private void goBack(LogTruncationException truncated) {
            Map<TopicPartition, Long> oldest = consumer.beginningOffsets(
                    truncated.offsetOutOfRangePartitions().keySet(),
                    config.limits().answerWithin());
            truncated.offsetOutOfRangePartitions().forEach((partition, offset) -> {
                OffsetAndMetadata parted = truncated.divergentOffsets().get(partition);
                long from = parted == null ? oldest.getOrDefault(partition, 0L) : parted.offset();
                wentBack("partition " + partition + " has lost its end, and has other messages before offset " + offset
                        + ", up to which it was read; reading begins again at " + from);
                beginAnew(partition);
                consumer.seek(partition, from);
            });
        }

        /** The next offset is not there: removed by retention, or the topic ends before it. */
        private void goOnWithTheOldest(Map<TopicPartition, Long> wanted) {
            Map<TopicPartition, Long> oldest =
                    consumer.beginningOffsets(wanted.keySet(), config.limits().answerWithin());
            wanted.forEach((partition, offset) -> {
                if (offset < oldest.getOrDefault(partition, 0L)) {
                    log.error(
                            "Kafka source {}: messages of partition {} were removed before they were received, and are"
                                    + " lost; reading goes on at {} instead of {}. Let the topic keep its messages for"
                                    + " longer (retention.ms)",
                            config.name(),
                            partition,
                            oldest.get(partition),
                            offset);
                } else {
                    wentBack("partition " + partition + " ends before offset " + offset
                            + ", up to which it was read: the topic was made anew, or has lost its end; reading begins"
                            + " again with the oldest message");
                    beginAnew(partition);
                }
            });
            consumer.seekToBeginning(wanted.keySet());
        }

        private void wentBack(String why) {
            log.error("Kafka source {}: {}", config.name(), why);
            reports.wentBack(why);
        }

        /** Its offsets begin again, so what was read and committed says nothing of them. */
        private void beginAnew(TopicPartition partition) {
            lose(List.of(partition));
            partitionsRead.put(partition, new PartitionProgress(partition));
        }

        /** The group is new here. */
        private void begin(Collection<TopicPartition> partitions) {
            if (config.beginsAtTheEnd()) {
                consumer.seekToEnd(partitions);
            } else {
                consumer.seekToBeginning(partitions);
            }
        }

        private void keep(TopicPartition partition, List<ConsumerRecord<byte[], byte[]>> records) {
            PartitionProgress progress = partitionsRead.get(partition);
            if (progress == null) {
                throw new IllegalStateException("records of " + partition + ", which is not ours");
            }
            progress.read(records);
            records.forEach(record -> mailbox.put(new KafkaArrival(record, progress, 1, mailbox, deadMessages)));
        }

        /**
         * A consumer says nothing of a broker that is gone, so it is asked when nothing has come for a while. Before it
         * is, polls have had the time to fail, if they do: an answer alone does not say that we may read.
         */
        private void listen(boolean heard) {
            if (heard) {
                heardNanos = System.nanoTime();
                mailbox.wellAgain();
            } else if (System.nanoTime() - heardNanos
                    > config.limits().answerWithin().toNanos()) {
                ask();
                heardNanos = System.nanoTime();
            }
        }

        private void ask() {
            Duration wait = config.limits().answerWithin();
            TopicPartition some = partitionsRead.keySet().stream().findFirst().orElse(null);
            try {
                if (some == null) {
                    consumer.listTopics(wait);
                } else {
                    consumer.endOffsets(List.of(some), wait);
                }
                if (isMember) {
                    mailbox.wellAgain();
                }
            } catch (TimeoutException e) {
                tell(e);
            }
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            isMember = true;
            heardNanos = System.nanoTime();
            partitions.forEach(partition -> partitionsRead.put(partition, new PartitionProgress(partition)));
            if (isFull()) {
                consumer.pause(partitions);
            }
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            commits.now(partitions.stream()
                    .map(partitionsRead::get)
                    .filter(Reader::isThere)
                    .toList());
            lose(partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            isMember = false;
            lose(partitions);
        }

        private void lose(Collection<TopicPartition> partitions) {
            for (TopicPartition partition : partitions) {
                PartitionProgress progress = partitionsRead.remove(partition);
                if (progress != null) {
                    progress.lose();
                    mailbox.forget(progress);
                }
            }
        }
    }

    private static boolean isThere(@Nullable PartitionProgress progress) {
        return progress != null;
    }
}
