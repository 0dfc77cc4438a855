package io.postrider.engine;

import io.postrider.spi.Cursor;
import io.postrider.spi.Page;
import java.util.List;

/** A batch of a lane under way, and what it was claimed with. */
record Flight(Batch batch, LaneClaim.Claimed claimed, Reserved reserved, long startedNanos) {

    /** What a batch takes of the node's budget. */
    record Reserved(long events, long bytes) {}

    /** The rows, and the events at the head of the claim that have begun: the rest is read again. */
    List<Item> begun() {
        return batch.items().subList(0, Math.max(batch.begun(), claimed.rows().size()));
    }

    /** What is read again. */
    List<Item> rest() {
        return batch.items().subList(begun().size(), batch.items().size());
    }

    /** Whether something of it has been dispatched that comes again unless it is settled. */
    boolean hasDispatched() {
        synchronized (batch) {
            return batch.items().stream().anyMatch(Item::comesAgain);
        }
    }

    /** Whether a read at once may find what this claim has not: it was full, or not all of it has begun. */
    boolean leavesMore() {
        Page page = claimed.page();
        return page == null || page.more() || begun().size() < claimed.size();
    }

    /** The lane's cursor once what has begun is settled. */
    Cursor after(Cursor cursor) {
        Page page = claimed.page();
        return page == null
                ? cursor
                : cursor.advance(page, begun().size() - claimed.rows().size());
    }
}
