package io.postrider.nats;

import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StreamInfo;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Whether a stream keeps messages for longer than a receiver remembers that it has received them. */
final class Keeping {
    private Keeping() {}

    /**
     * The warning about such a stream; null if there is none. A stream without an age limit is spoken of once it has
     * messages that are old enough.
     *
     * @param remembered how long the receiver knows a message
     */
    static @Nullable String objection(StreamInfo stream, Duration remembered, Instant now) {
        Duration age = stream.getConfiguration().getMaxAge();
        boolean limited = age != null && !age.isZero();
        boolean removesWhatIsRead = stream.getConfiguration().getRetentionPolicy() != RetentionPolicy.Limits;
        if (removesWhatIsRead
                || (limited ? age.compareTo(remembered) <= 0 : !hasOlder(stream, now.minus(remembered)))) {
            return null;
        }
        return "Stream '" + stream.getConfiguration().getName() + "' keeps messages for "
                + (limited ? age.toString() : "ever") + ", but a received message is remembered for " + remembered
                + ": if a consumer loses its position, older messages take effect again. Give the stream a max_age of"
                + " no more than that, or remember for longer (NodeLimits.receivedFor; processedFor for a direct"
                + " consumer)";
    }

    private static boolean hasOlder(StreamInfo stream, Instant than) {
        return stream.getStreamState().getMsgCount() > 0
                && stream.getStreamState().getFirstTime() != null
                && stream.getStreamState().getFirstTime().toInstant().isBefore(than);
    }
}
