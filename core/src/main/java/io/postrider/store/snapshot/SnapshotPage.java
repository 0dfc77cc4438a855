package io.postrider.store.snapshot;

import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.store.Page;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A read as a page for the engine.
 *
 * @param behind the cursor that was read behind
 */
public record SnapshotPage(SnapshotCursor behind, SnapshotRead read) implements Page {

    /** Late events first, then fresh ones. */
    @Override
    public List<StoredEvent> events() {
        if (read.late().isEmpty() || read.fresh().isEmpty()) {
            return read.late().isEmpty() ? read.fresh() : read.late();
        }
        return Stream.concat(read.late().stream(), read.fresh().stream()).toList();
    }

    @Override
    public Map<Position, String> defects() {
        return read.defects();
    }

    @Override
    public boolean more() {
        return read.more();
    }

    @Override
    public SnapshotCursor after(int handled) {
        return behind.advance(read, handled);
    }
}
