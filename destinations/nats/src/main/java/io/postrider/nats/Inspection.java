package io.postrider.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StreamInfo;
import io.postrider.destination.Guarded.Sealed;
import io.postrider.destination.Receipt;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks whether what was acknowledged is still there. A server acknowledges before it has written to the disk, and
 * after a crash gives the same numbers to other messages: therefore ids are compared, not numbers.
 *
 * <p>What a stream has removed as it was told to is not lost: it was there.
 */
final class Inspection {
    private final JetStreamManagement management;
    private final Map<String, Optional<StreamInfo>> streams = new HashMap<>();

    Inspection(JetStreamManagement management) {
        this.management = management;
    }

    List<Boolean> inspect(List<Sealed> seals) throws IOException, JetStreamApiException {
        List<Boolean> kept = new ArrayList<>(seals.size());
        for (Sealed seal : seals) {
            kept.add(isKept(seal));
        }
        return kept;
    }

    private boolean isKept(Sealed seal) throws IOException, JetStreamApiException {
        Receipt receipt = seal.receipt();
        try {
            MessageInfo found = management.getMessage(receipt.stream(), receipt.sequence());
            return found.getHeaders() != null
                    && seal.event().toString().equals(found.getHeaders().getFirst(NatsHeaders.MESSAGE_ID));
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() == Refusal.NO_MESSAGE || e.getErrorCode() == 404) {
                return stream(receipt.stream())
                        .map(stream -> wasRemoved(stream, receipt.sequence()))
                        .orElse(false);
            }
            throw e;
        }
    }

    private Optional<StreamInfo> stream(String name) throws IOException, JetStreamApiException {
        Optional<StreamInfo> known = streams.get(name);
        if (known != null) {
            return known;
        }
        Optional<StreamInfo> found;
        try {
            found = Optional.of(management.getStreamInfo(name));
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() != Refusal.NO_STREAM) {
                throw e;
            }
            found = Optional.empty();
        }
        streams.put(name, found);
        return found;
    }

    private static boolean wasRemoved(StreamInfo stream, long sequence) {
        if (sequence < stream.getStreamState().getFirstSequence()) {
            return true;
        }
        return sequence <= stream.getStreamState().getLastSequence() && removesWithin(stream);
    }

    /** Whether it removes messages that have others before them; otherwise a gap is a loss. */
    private static boolean removesWithin(StreamInfo stream) {
        return stream.getConfiguration().getRetentionPolicy() != RetentionPolicy.Limits
                || stream.getConfiguration().getMaxMsgsPerSubject() > 0;
    }
}
