package io.postrider.tck;

import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.store.Claim;
import io.postrider.store.Cursor;
import io.postrider.store.Ownership;
import io.postrider.store.Page;
import io.postrider.store.Settlement;
import io.postrider.store.Store;
import java.util.ArrayList;
import java.util.List;

/** A lane as an owner without an engine has it: reads behind its cursor, moves it, settles. */
final class LaneReader {
    static final int MANY = 1_000;
    static final long MANY_BYTES = 64L << 20;

    private final Store<?> store;
    private final Claim.ClaimedLane claimed;
    private Cursor cursor;
    private long settlement;
    private Counts counts;

    LaneReader(Store<?> store, Claim.ClaimedLane claimed) {
        this.store = store;
        this.claimed = claimed;
        this.cursor = claimed.cursor();
        this.settlement = claimed.settlement();
        this.counts = claimed.counts();
    }

    Claim.ClaimedLane claimed() {
        return claimed;
    }

    Ownership ownership() {
        return claimed.ownership();
    }

    Lane lane() {
        return ownership().lane();
    }

    Cursor cursor() {
        return cursor;
    }

    Counts counts() {
        return counts;
    }

    // ---- read -------------------------------------------------------------------------------------------------------

    /** One read, without moving the cursor. */
    Page peek(int most) {
        return store.claim().read(ownership(), cursor, most, MANY_BYTES);
    }

    /** One read whose first events are handled, as many as told. */
    List<StoredEvent> handle(Page page, int handled) {
        cursor = page.after(handled);
        return page.events().subList(0, handled);
    }

    /** One read, all of it handled. */
    List<StoredEvent> next(int most) {
        Page page = peek(most);
        return handle(page, page.events().size());
    }

    /** Reads until there is nothing more, in pages of this size. */
    List<StoredEvent> drain(int most) {
        List<StoredEvent> all = new ArrayList<>();
        boolean more = true;
        while (more) {
            Page page = peek(most);
            boolean step = cursor.to(page.after(page.events().size())) == Cursor.Progress.STEP;
            all.addAll(handle(page, page.events().size()));
            more = !page.events().isEmpty() || step;
        }
        return all;
    }

    /** The payloads of all that can be read now, without their quotes. */
    List<String> drain() {
        return texts(drain(MANY));
    }

    static List<String> texts(List<StoredEvent> events) {
        return events.stream().map(LaneReader::text).toList();
    }

    static String text(StoredEvent event) {
        return event.payload().replace("\"", "");
    }

    // ---- settle -----------------------------------------------------------------------------------------------------

    /** Settles the cursor as it stands, and what was delivered since. */
    boolean settle(int delivered) {
        return settle(new Counts(delivered, 0, 0, 0, 0, 0), List.of(), List.of());
    }

    boolean settle(Counts change, List<Delivery> changed, List<Position> settled) {
        return settle(change, changed, settled, List.of());
    }

    /** Settles that these were found to be lost again. */
    boolean settle(Counts change, List<Delivery> changed, List<Position> settled, List<Long> found) {
        Counts next = counts.plus(change);
        if (!store.settle()
                .settle(new Settlement(
                        ownership(), settlement + 1, cursor, next, changed, settled, List.of(), found))) {
            return false;
        }
        settlement++;
        counts = next;
        return true;
    }

    /** Settles a row for each of these events, parked. */
    boolean park(List<Delivery> rows) {
        return settle(new Counts(0, 0, rows.size(), 0, 0, 0), rows, List.of());
    }

    /** Settles a row for each of these events, dead. */
    boolean bury(List<Delivery> rows) {
        return settle(new Counts(0, 0, 0, rows.size(), 0, 0), rows, List.of());
    }
}
