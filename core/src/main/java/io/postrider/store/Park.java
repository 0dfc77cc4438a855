package io.postrider.store;

import io.postrider.operate.Delivery;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The delivery rows of a lane as its owner needs them: a bounded part, however many there are.
 *
 * <p>A row waits for its time, or <em>behind</em> an earlier row of its key. The first kind is found by its time; the
 * second kind only through its key, when the earlier row is gone. Whether a row is behind is a hint that the owner
 * writes. Two mechanisms keep the hint harmless: {@link #window} puts rows behind that stand in front by mistake, and
 * {@link #promote} brings rows to the front that wait behind nothing. So a crash between two statements of an owner, a
 * replay or another policy loses no row.
 */
public interface Park {

    /**
     * The part of a lane's rows that its owner holds. A row that has another one of its key before it goes behind, and
     * the first of the key to the front, unless the lane is held under another epoch.
     */
    Window window(Ownership ownership, View view);

    /** Which of these keys have a row that later events of the key have to wait for. */
    Set<String> blocked(Ownership ownership, Wanted rows, Collection<String> keys);

    /**
     * The first rows of these keys by position, up to {@code most} of each, as they were before the call. The first of
     * each key is no longer behind, unless the lane is held under another epoch.
     */
    List<Delivery> follow(Ownership ownership, Wanted rows, Collection<String> keys, int most);

    /**
     * Looks at up to {@code most} keys with rows that are behind, in the order of the keys, beginning after this one.
     * Where the first row of a key is behind, it no longer is, unless the lane is held under another epoch.
     */
    Promoted promote(Ownership ownership, Wanted rows, String after, int most);

    /** Which delivery rows of a lane its owner has to know. */
    enum Wanted {
        /** A queue's rows are tasks, which any node claims. */
        NONE,
        /** Order is not kept: no row waits behind another. */
        UNORDERED,
        /** Rows that wait block their keys. */
        WAITING,
        /** Dead rows block their keys too. */
        WAITING_AND_DEAD;

        /** Whether rows block later events of their keys. */
        public boolean ordered() {
            return this == WAITING || this == WAITING_AND_DEAD;
        }

        /** Whether a row blocks its key, or is to be dispatched. */
        public boolean includes(Delivery row) {
            return this != NONE && (row.waits() || (this == WAITING_AND_DEAD && row.status() == Delivery.Status.DEAD));
        }
    }

    /**
     * How much of a lane's rows its owner looks at.
     *
     * @param most rows held at once, of those that wait for their time, and of dead ones
     * @param count up to how many of the others are counted
     */
    record View(Wanted wanted, int most, int count) {
        public View {
            if (most < 1 || count < 1) {
                throw new IllegalArgumentException("a view has at least one row, got " + most + " and " + count);
            }
        }

        /** A view that is large enough for most lanes. */
        public static View of(Wanted wanted) {
            return new View(wanted, 1_000, 100_000);
        }
    }

    /**
     * A part of a lane's rows.
     *
     * @param rows all that run; those that wait for their time, the earliest first; dead ones where they block
     * @param beyond rows that are due at or after this time were left out; null if none were
     * @param deadLeftOut dead rows that block their keys were left out
     * @param failing how many rows have failed and wait for their time, whether they are among the rows or not
     * @param behind how many rows wait behind others of their keys; none of them is among the rows
     * @param demoted how many rows went behind with this call
     */
    record Window(
            List<Delivery> rows,
            @Nullable Instant beyond,
            boolean deadLeftOut,
            long failing,
            long behind,
            int demoted) {
        public static final Window EMPTY = new Window(List.of(), null, false, 0, 0, 0);

        public Window {
            rows = List.copyOf(rows);
        }
    }

    /**
     * How far a look has come.
     *
     * @param after where the next one begins; null if there is nothing more to look at
     * @param promoted how many rows are no longer behind
     */
    record Promoted(@Nullable String after, int promoted) {}
}
