package io.postrider.kafka;

import io.postrider.spi.Source;
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
    private final Ledger ledger;
    private final int attempt;
    private final Mailbox mailbox;
    private final DeadMessages deadMessages;
    private final AtomicBoolean answered = new AtomicBoolean();

    KafkaArrival(
            ConsumerRecord<byte[], byte[]> record,
            Ledger ledger,
            int attempt,
            Mailbox mailbox,
            DeadMessages deadMessages) {
        this.record = record;
        this.ledger = ledger;
        this.attempt = attempt;
        this.mailbox = mailbox;
        this.deadMessages = deadMessages;
    }

    boolean isOf(Ledger ledger) {
        return this.ledger == ledger;
    }

    @Override
    public Incoming incoming() {
        // A record without a value says that its key is gone: that is JSON's null.
        Message message = new Message(headers(), record.value() == null ? NULL : record.value());
        return Decoding.decode(
                message,
                new Decoding.Origin(place(record), record.topic(), key(), Instant.ofEpochMilli(record.timestamp())));
    }

    /** Where it lies: as long as the topic is not made anew, no other message ever lies there. */
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

    /** What is no text comes as Base64: nothing of it is lost. */
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
            ledger.done(record.offset());
        }
    }

    @Override
    public void nak(Duration after) {
        if (answersFirst()) {
            comeAgain(after);
        }
    }

    private void comeAgain(Duration after) {
        if (ledger.isOpen(record.offset())) {
            mailbox.put(new KafkaArrival(record, ledger, attempt + 1, mailbox, deadMessages), after);
        }
    }

    @Override
    public void term(String why) {
        if (answersFirst()) {
            deadMessages.take(record, why, () -> ledger.done(record.offset()), this::comeAgain);
        }
    }

    /** Nothing to do: the source reads with a thread of its own, which keeps the partition for as long as it takes. */
    @Override
    public void working() {}

    private boolean answersFirst() {
        return answered.compareAndSet(false, true) && ledger.isOpen(record.offset());
    }
}
