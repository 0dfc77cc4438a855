package io.postrider.operate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a destination stands for one subscription, as this node sees it.
 *
 * @param name the subscription and what kind of destination it is: {@code billing (JetStream orders)}
 * @param downSince when it was found to be down; null while it takes events
 * @param why what it said last about being down; null while it takes events
 */
public record DestinationStatus(
        String name, @Nullable Instant downSince, @Nullable String why) {

    public boolean isUp() {
        return downSince == null;
    }
}
