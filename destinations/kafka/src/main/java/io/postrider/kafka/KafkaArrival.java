package io.postrider.kafka;

import io.postrider.destination.Source;
import io.postrider.wire.Decoding;
import io.postrider.wire.Incoming;
import io.postrider.wire.Message;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** One record until it is answered. Only its first answer counts, and none once its partition is lost. Thread-safe. */
final class KafkaArrival implements Source.Arrival {
    private static final byte[] NULL = "null".getBytes(StandardCharsets.UTF_8);

    private final ConsumerRecord<byte[], byte[]> record;
    private final PartitionProgress progress;
    private final int attempt;
    private final Mailbox mailbox;
    private final DeadMessages deadMessages;
    private final AtomicBoolean answered = new AtomicBoolean();

    KafkaArrival(
            ConsumerRecord<byte[], byte[]> record,
            PartitionProgress progress,
            int attempt,
            Mailbox mailbox,
            DeadMessages deadMessages) {
        this.record = record;
        this.progress = progress;
        this.attempt = attempt;
        this.mailbox = mailbox;
        this.deadMessages = deadMessages;
    }

    boolean isOf(PartitionProgress progress) {
        return this.progress == progress;
    }

    @Override
    public Incoming incoming() {
        // A record without a value says that its key is gone: that is JSON's null.
        Message message = new Message(headers(), record.value() == null ? NULL : record.value());
        return Decoding.decode(
                message,
                new Decoding.Origin(place(record), record.topic(), key(), Instant.ofEpochMilli(record.timestamp())));
    }

    /** The place of a record. After a loss another message may lie there, which its time tells apart. */
    static String place(ConsumerRecord<?, ?> record) {
        return record.topic() + "-" + record.partition() + "-" + record.offset();
    }

    private @Nullable String key() {
        return record.key() == null || record.key().length == 0 ? null : textOf(record.key());
    }

    /** The last of several headers of one name, as Kafka has it. */
    private Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        for (Header header : record.headers()) {
            headers.put(header.key(), header.value() == null ? "" : textOf(header.value()));
        }
        return headers;
    }

    /** Bytes that are no text come as Base64: nothing of them is lost. */
    private static String textOf(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return Base64.getEncoder().encodeToString(bytes);
        }
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public void ack() {
        if (answersFirst()) {
            progress.done(record.offset());
        }
    }

    @Override
    public void nak(Duration after) {
        if (answersFirst()) {
            comeAgain(after);
        }
    }

    private void comeAgain(Duration after) {
        if (progress.isOpen(record.offset())) {
            mailbox.put(new KafkaArrival(record, progress, attempt + 1, mailbox, deadMessages), after);
        }
    }

    @Override
    public void term(String why) {
        if (answersFirst()) {
            deadMessages.take(record, why, () -> progress.done(record.offset()), this::comeAgain);
        }
    }

    /** Nothing to do: the source reads with a thread of its own, which keeps the partition for as long as it takes. */
    @Override
    public void working() {}

    private boolean answersFirst() {
        return answered.compareAndSet(false, true) && progress.isOpen(record.offset());
    }
}
