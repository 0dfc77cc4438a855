package io.postrider;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a destination stands, as this node sees it.
 *
 * @param downSince when it was found to be down; null while it takes events
 * @param why what it said last about being down; null while it takes events
 */
public record DestinationStatus(
        String name, @Nullable Instant downSince, @Nullable String why) {

    public boolean isUp() {
        return downSince == null;
    }
}
