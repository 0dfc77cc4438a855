package io.postrider.benchmarks.brokers;

import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Payloads;
import java.util.Locale;
import org.apache.kafka.common.utils.AppInfoParser;

/** Sends with the bare producer what a destination would, from memory. */
final class KafkaSend implements Contender {
    private final KafkaPlace place;
    private final int messages;
    private final RawMessages made = RawMessages.make();

    KafkaSend(KafkaPlace place, int messages) {
        this.place = place;
        this.messages = messages;
    }

    @Override
    public String label() {
        return String.format(
                Locale.ROOT, "bare kafka-clients %s send, %,d messages", AppInfoParser.getVersion(), messages);
    }

    @Override
    public String how() {
        return "made payloads and as many headers, from memory, one thread; as many under way as the producer's memory"
                + " holds; linger and batch.size as the destination has them; until the last is acknowledged; to "
                + place.what();
    }

    @Override
    public double round() throws Exception {
        place.renew();
        double rate;
        try (BareSend send = new BareSend(place)) {
            long begin = System.nanoTime();
            for (int i = 0; i < messages; i++) {
                send.send(Payloads.key(i), made.headers(i), made.body(i));
            }
            send.await();
            rate = messages * 1e9 / (System.nanoTime() - begin);
        }
        place.requireStored(messages);
        return rate;
    }
}
