package io.postrider.benchmarks.brokers;

import io.postrider.StoredEvent;
import io.postrider.benchmarks.measure.BareSelect;
import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;
import io.postrider.wire.Encoding;
import io.postrider.wire.Message;
import java.util.Locale;
import java.util.Objects;

/**
 * What anybody needs who sends the rows of a log to a broker: one SELECT, and a bare client. Nothing is settled, no
 * order kept and no failure met, so that all the rest of a drain is seen beside it.
 */
final class Forward implements Contender {
    private static final Encoding ENCODING = Encoding.plain();

    private final Place place;
    private final int events;
    private final BareSelect select;

    Forward(Database database, Place place, int events) {
        this.place = place;
        this.events = events;
        this.select = new BareSelect(database, BareSelect.LOG, events);
    }

    @Override
    public String label() {
        return String.format(
                Locale.ROOT,
                "bare SELECT to bare %s, %,d events",
                place.client().name(),
                events);
    }

    @Override
    public String how() {
        return "one SELECT in whatever order the table has; " + place.client().how()
                + "; nothing is settled, and nothing would be sent again; to " + place.what();
    }

    @Override
    public double round() throws Exception {
        return place.send(events, client -> select.read(event -> send(client, event)));
    }

    private static void send(BareClient client, StoredEvent event) {
        Message message = ENCODING.encode(event);
        client.send(Objects.requireNonNull(event.key()), message.headers(), message.body());
    }
}
