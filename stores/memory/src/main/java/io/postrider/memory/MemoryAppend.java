package io.postrider.memory;

import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.policy.NodeLimits;
import io.postrider.store.Append;
import io.postrider.store.RefusedEventException;
import io.postrider.text.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Append: an xid, then positions, then rows that nobody sees before the commit. */
final class MemoryAppend implements Append<MemoryTransaction> {

    private final MemoryState state;

    MemoryAppend(MemoryState state) {
        this.state = state;
    }

    @Override
    public void append(MemoryTransaction transaction, List<Entry> entries) {
        requireGood(transaction, entries);
        synchronized (state) {
            long xid = transaction.xid();
            for (Entry entry : entries) {
                transaction.add(LogRow.of(stored(entry, state.log.drawPosition()), xid));
            }
        }
    }

    @Override
    public boolean mayWait(MemoryTransaction transaction, Runnable writeNow) {
        return transaction.isOpen() && transaction.belongsTo(state);
    }

    @Override
    public void appendAndCommit(MemoryTransaction transaction, List<Entry> entries) {
        synchronized (state) {
            transaction.requireOpen();
            append(transaction, entries);
            transaction.commitNow();
        }
    }

    void requireGood(MemoryTransaction transaction, List<Entry> entries) {
        if (!transaction.belongsTo(state)) {
            throw new IllegalArgumentException("the transaction belongs to another store");
        }
        entries.forEach(MemoryAppend::requireGood);
    }

    private StoredEvent stored(Entry entry, long position) {
        return new StoredEvent(
                new Position(position),
                Lane.of(entry.key(), entry.id(), state.lanes),
                entry.id(),
                entry.type(),
                entry.key(),
                entry.payload(),
                entry.headers(),
                entry.tenant(),
                state.now(),
                entry.schedule());
    }

    private static void requireGood(Entry entry) {
        entry.requireNew();
        int bytes = entry.payload().getBytes(StandardCharsets.UTF_8).length;
        if (bytes > NodeLimits.PAYLOAD_BYTES_MAX) {
            throw new RefusedEventException(
                    "an event's payload has at most " + NodeLimits.PAYLOAD_BYTES_MAX + " bytes, got " + bytes);
        }
        if (!isJson(entry.payload())) {
            throw new RefusedEventException("the payload of '" + entry.type() + "' is not JSON");
        }
    }

    private static boolean isJson(String payload) {
        try {
            JsonText.requireValid(payload.getBytes(StandardCharsets.UTF_8));
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
