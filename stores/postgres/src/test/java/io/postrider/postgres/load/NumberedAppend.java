package io.postrider.postgres.load;

import io.postrider.Event;
import io.postrider.Outbox;
import java.sql.Connection;
import java.sql.SQLException;

/** Appends a key's next event, under the lock of that key. */
final class NumberedAppend {
    private final Outbox<Connection> outbox;

    NumberedAppend(Outbox<Connection> outbox) {
        this.outbox = outbox;
    }

    NumberedEvent append(Connection transaction, String key) throws SQLException {
        long sequence = KeyTable.next(transaction, key);
        Event event = Event.of(NumberedEvent.TYPE, new NumberedEvent.Content(sequence))
                .key(key);
        return new NumberedEvent(outbox.append(transaction, event).value(), key, sequence);
    }
}
