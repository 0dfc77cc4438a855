package io.postrider.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.StreamInfo;
import io.postrider.destination.Placed;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares a consumer with its stream before anything is pulled. The server keeps both apart: a stream that comes back
 * without its end, from an older copy or after a power cut, gives the numbers of what it lost to new messages, and a
 * consumer whose position is beyond that end never gives those out. Where that is found, the consumer is made anew,
 * from where nothing can be missing; repeats are known by the receiver's records.
 *
 * <p>While the stream is shorter than the consumer's position, numbers tell. Later only the message tells that lies
 * where the newest one was taken: it was stored at another time.
 */
final class ConsumerPlace {
    private static final Logger log = LoggerFactory.getLogger(ConsumerPlace.class);

    /** By how much clocks of servers may differ: what was stored that long before the newest place comes again too. */
    private static final Duration CLOCKS = Duration.ofMinutes(1);

    private final JetStreamManagement management;
    private final JetStreamSourceConfig config;
    private final Placed.@Nullable Memory memory;

    ConsumerPlace(JetStreamManagement management, JetStreamSourceConfig config, Placed.@Nullable Memory memory) {
        this.management = management;
        this.config = config;
        this.memory = memory;
    }

    /**
     * The result of a comparison.
     *
     * @param era of the places that are read from now on
     * @param setBack whether the stream had gone back
     * @param positionLost the warning about a consumer that has no position; null if it has one
     */
    record Finding(long era, boolean setBack, @Nullable String positionLost) {}

    Finding compare() throws IOException, JetStreamApiException {
        StreamInfo stream = management.getStreamInfo(config.stream());
        ConsumerInfo consumer = management.getConsumerInfo(config.stream(), config.durable());
        Placed.Place newest = memory == null ? null : memory.newest().orElse(null);
        long era = newest == null ? 0 : newest.era();
        boolean unread = consumer.getDelivered().getConsumerSequence() == 0;
        String loss = loss(stream, consumer, newest);
        if (loss == null) {
            return new Finding(era, false, unread && lostPosition(consumer, newest) ? positionLost() : null);
        }
        String beginning = unread ? "which begins anew" : setBack(stream, consumer, newest);
        tell(
                end(stream, era + 1),
                loss + ". Its messages are read again by consumer '" + config.durable() + "', " + beginning
                        + "; those that were received before are known, and take no effect again");
        return new Finding(era + 1, true, null);
    }

    /** The loss of messages that were given out before, in words; null if nothing shows one. */
    private @Nullable String loss(StreamInfo stream, ConsumerInfo consumer, Placed.@Nullable Place newest)
            throws IOException, JetStreamApiException {
        long last = stream.getStreamState().getLastSequence();
        long given = Math.max(
                consumer.getDelivered().getStreamSequence(),
                consumer.getAckFloor().getStreamSequence());
        long taken = Math.max(given, newest == null ? 0 : newest.sequence());
        if (taken > last) {
            return "stream '" + config.stream() + "' ends with message " + last + ", and message " + taken
                    + " was given out before";
        }
        MessageInfo there = newest == null ? null : message(newest.sequence());
        return there == null || newest == null || instant(there.getTime()).equals(newest.at())
                ? null
                : "message " + newest.sequence() + " of stream '" + config.stream() + "' was stored at "
                        + instant(there.getTime()) + ", and another one that was stored at " + newest.at()
                        + " lay there before";
    }

    /** Makes the consumer anew, as it was, from the first message that may not have been received. */
    private String setBack(StreamInfo stream, ConsumerInfo consumer, Placed.@Nullable Place newest)
            throws IOException, JetStreamApiException {
        Instant from = from(stream, consumer, newest);
        ConsumerConfiguration.Builder wanted = ConsumerConfiguration.builder(consumer.getConsumerConfiguration())
                .startSequence(0)
                .deliverPolicy(from == null ? DeliverPolicy.All : DeliverPolicy.ByStartTime)
                .startTime(from == null ? null : from.atZone(ZoneOffset.UTC));
        new NotedConsumer(management, config).replace(wanted.build());
        return from == null ? "which was made anew and begins with the first" : "which was made anew, from " + from;
    }

    /**
     * Lost messages were stored before the newest place, their successors after it. Messages that were not acknowledged
     * come again too, however old they are. Null for all that the stream has.
     */
    private @Nullable Instant from(StreamInfo stream, ConsumerInfo consumer, Placed.@Nullable Place newest)
            throws IOException, JetStreamApiException {
        if (newest == null) {
            return null;
        }
        Instant from = newest.at().minus(CLOCKS);
        long unacknowledged = consumer.getAckFloor().getStreamSequence() + 1;
        if (unacknowledged > stream.getStreamState().getLastSequence()) {
            return from;
        }
        MessageInfo first = message(unacknowledged);
        if (first == null) {
            return null;
        }
        Instant stored = instant(first.getTime());
        return stored.isBefore(from) ? stored : from;
    }

    private Placed.Place end(StreamInfo stream, long era) throws IOException, JetStreamApiException {
        MessageInfo last = message(stream.getStreamState().getLastSequence());
        return last == null
                ? new Placed.Place(era, 0, Instant.EPOCH)
                : new Placed.Place(era, last.getSeq(), instant(last.getTime()));
    }

    private void tell(Placed.Place end, String why) {
        if (memory == null) {
            log.warn("Consumer '{}' had to go back: {}", config.durable(), why);
        } else {
            memory.wentBack(end, why);
        }
    }

    /** A consumer that was set back here has no position either, until it gives something that is new. */
    private static boolean lostPosition(ConsumerInfo consumer, Placed.@Nullable Place newest) {
        ZonedDateTime start = consumer.getConsumerConfiguration().getStartTime();
        return newest != null
                && newest.sequence() > 0
                && (start == null || newest.at().isAfter(start.toInstant().plus(CLOCKS)));
    }

    private String positionLost() {
        return "Consumer '" + config.durable() + "' of stream '" + config.stream() + "' has no position, although"
                + " messages were received through it: everything that the stream has comes again. Messages that were"
                + " received within the last " + (memory == null ? Duration.ZERO : memory.keptFor())
                + " are known; older ones take effect again";
    }

    private @Nullable MessageInfo message(long sequence) throws IOException, JetStreamApiException {
        if (sequence < 1) {
            return null;
        }
        try {
            return management.getMessage(config.stream(), sequence);
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() == Refusal.NO_MESSAGE) {
                return null;
            }
            throw e;
        }
    }

    private static Instant instant(ZonedDateTime time) {
        return time.toInstant();
    }
}
