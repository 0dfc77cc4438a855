package io.postrider.webhook;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Which webhooks are taken.
 *
 * @param secrets a webhook is signed with one of these
 * @param reading how a request becomes an event
 * @param tolerance how far its timestamp may be from now, in either direction
 * @param bodyMax the largest body, in bytes
 */
public record ReceiverConfig(List<Secret> secrets, Reading reading, Duration tolerance, int bodyMax) {
    /** The largest body that can be allowed. */
    public static final int BODY_BYTES_MAX = 16 << 20;

    private static final Duration TOLERANCE = Duration.ofMinutes(5);
    private static final int BODY_BYTES = 1 << 20;

    public ReceiverConfig {
        if (secrets.isEmpty() || secrets.size() > EndpointConfig.SECRETS_MAX) {
            throw new IllegalArgumentException(
                    "a receiver has 1 to " + EndpointConfig.SECRETS_MAX + " secrets, got " + secrets.size());
        }
        EndpointLimits.within("tolerance", tolerance, Duration.ofSeconds(1), Duration.ofDays(1));
        EndpointLimits.within("bodyMax", bodyMax, 1, BODY_BYTES_MAX);
        secrets = List.copyOf(secrets);
    }

    public static ReceiverConfig of(Secret secret) {
        return new ReceiverConfig(List.of(secret), Reading.envelope(), TOLERANCE, BODY_BYTES);
    }

    /** One more secret: either is enough. */
    public ReceiverConfig secret(Secret secret) {
        List<Secret> more = new ArrayList<>(secrets);
        more.add(secret);
        return new ReceiverConfig(more, reading, tolerance, bodyMax);
    }

    public ReceiverConfig reading(Reading reading) {
        return new ReceiverConfig(secrets, reading, tolerance, bodyMax);
    }

    public ReceiverConfig tolerance(Duration tolerance) {
        return new ReceiverConfig(secrets, reading, tolerance, bodyMax);
    }

    public ReceiverConfig bodyMax(int bodyMax) {
        return new ReceiverConfig(secrets, reading, tolerance, bodyMax);
    }
}
