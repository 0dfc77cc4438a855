package io.postrider.engine.dispatch;

import io.postrider.StoredEvent;
import io.postrider.store.Claim;
import io.postrider.store.Page;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a lane has claimed: rows that were due, and a page of the log unless the lane reads nothing at present.
 *
 * @param blocked keys of the page that have rows of which only the store knows
 */
public record Claimed(
        List<Claim.ClaimedDelivery> rows, @Nullable Page page, Set<String> blocked) {
    public boolean isEmpty() {
        return size() == 0;
    }

    public int size() {
        return rows.size() + events().size();
    }

    /** The memory it takes, roughly: a character of a payload or a header counts as a byte. */
    public long bytes() {
        return Stream.concat(rows.stream().map(Claim.ClaimedDelivery::event), events().stream())
                .mapToLong(event -> event.payload().length() + event.headers().bytes())
                .sum();
    }

    /** Why no event can be made of it, or null. */
    public @Nullable String defect(StoredEvent event) {
        return page == null ? null : page.defects().get(event.position());
    }

    /** The events of the page. */
    public List<StoredEvent> events() {
        return page == null ? List.of() : page.events();
    }
}
