package io.postrider.webhook;

import io.postrider.wire.Encoding;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import javax.net.ssl.SSLContext;

/**
 * How a webhook destination is set up.
 *
 * @param name what people and metrics call it
 * @param endpoints where events go
 * @param encoding how an event becomes a request; {@link #ENVELOPE} unless told otherwise
 * @param reach which addresses may be connected to
 * @param tls whose certificates are trusted; the machine's own choice unless told otherwise
 * @param window how many events may be under way at once, on all endpoints together
 * @param patience how long an event may wait for its turn, and be without an answer before others of its lane go on
 */
public record WebhookConfig(
        String name,
        Endpoints endpoints,
        Encoding encoding,
        Reach reach,
        SSLContext tls,
        int window,
        Duration patience) {

    /** The whole event as one JSON document, an {@link io.postrider.wire.Envelope}: the signature covers all of it. */
    public static final Encoding ENVELOPE = EnvelopeDocument::write;

    /** The largest window: each event under way has a thread. */
    public static final int WINDOW_MAX = 1_000;

    private static final int WINDOW = 64;

    public WebhookConfig {
        if (name.isBlank()) {
            throw new IllegalArgumentException("a destination needs a name");
        }
        EndpointLimits.within("window", window, 1, WINDOW_MAX);
        EndpointLimits.within("patience", patience, Duration.ZERO, Duration.ofDays(1));
    }

    /** All events to one endpoint. While nobody takes connections there, the destination is down. */
    public static WebhookConfig to(EndpointConfig endpoint) {
        EndpointLimits limits = endpoint.limits();
        return new WebhookConfig(
                "webhook " + HttpTarget.of(endpoint.url()).authority(),
                Endpoints.one(endpoint),
                ENVELOPE,
                Reach.publicOnly(),
                machineTls(),
                limits.concurrency(),
                limits.patience());
    }

    /**
     * Events to several endpoints. The destination is never down: each event of an endpoint that is down is retried.
     */
    public static WebhookConfig to(Endpoints endpoints) {
        return new WebhookConfig(
                "webhooks",
                endpoints,
                ENVELOPE,
                Reach.publicOnly(),
                machineTls(),
                WINDOW,
                EndpointLimits.DEFAULT.patience());
    }

    private static SSLContext machineTls() {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no TLS", e);
        }
    }

    public WebhookConfig name(String name) {
        return new WebhookConfig(name, endpoints, encoding, reach, tls, window, patience);
    }

    public WebhookConfig encoding(Encoding encoding) {
        return new WebhookConfig(name, endpoints, encoding, reach, tls, window, patience);
    }

    public WebhookConfig reach(Reach reach) {
        return new WebhookConfig(name, endpoints, encoding, reach, tls, window, patience);
    }

    public WebhookConfig tls(SSLContext tls) {
        return new WebhookConfig(name, endpoints, encoding, reach, tls, window, patience);
    }

    public WebhookConfig window(int window) {
        return new WebhookConfig(name, endpoints, encoding, reach, tls, window, patience);
    }

    public WebhookConfig patience(Duration patience) {
        return new WebhookConfig(name, endpoints, encoding, reach, tls, window, patience);
    }
}
