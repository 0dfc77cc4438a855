package io.postrider.webhook;

import com.sun.net.httpserver.HttpHandler;
import io.postrider.wire.Message;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;

/**
 * Verifies webhooks: signed by someone who knows the secret, a short while ago, and unchanged since. It remembers
 * nothing: a webhook that comes again within the tolerance verifies again, and whoever stores it, stores it once by its
 * id. Thread-safe.
 */
public final class WebhookReceiver {
    private static final int SIGNATURES_MAX = 16;
    private static final int ID_MAX = 255;

    private final ReceiverConfig config;
    private final InstantSource clock;

    private WebhookReceiver(ReceiverConfig config, InstantSource clock) {
        this.config = config;
        this.clock = clock;
    }

    public static WebhookReceiver of(ReceiverConfig config) {
        return new WebhookReceiver(config, InstantSource.system());
    }

    static WebhookReceiver of(ReceiverConfig config, InstantSource clock) {
        return new WebhookReceiver(config, clock);
    }

    /**
     * The event of a request.
     *
     * @param headers those of the request, in any case
     * @param body the bytes as they came, not yet parsed
     * @throws RefusedException if it cannot be trusted or read
     */
    public Verified verify(Map<String, String> headers, byte[] body) {
        if (body.length > config.bodyMax()) {
            throw tooLarge();
        }
        Map<String, String> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        fields.putAll(headers);
        String id = id(fields);
        Instant sentAt = sentAt(fields);
        requireSignature(required(fields, HeaderFields.SIGNATURE), id, sentAt, body);
        requireJson(fields);
        try {
            return new Verified(config.reading().read(id, new Message(HeaderFields.read(fields), body)), sentAt);
        } catch (IllegalArgumentException e) {
            throw new RefusedException(400, String.valueOf(e.getMessage()));
        }
    }

    RefusedException tooLarge() {
        return new RefusedException(413, "the body has more than " + config.bodyMax() + " bytes");
    }

    int bodyMax() {
        return config.bodyMax();
    }

    private static String required(Map<String, String> fields, String name) {
        String value = fields.get(name);
        if (value == null || value.isBlank()) {
            throw new RefusedException(400, "the header " + name + " is missing");
        }
        return value.strip();
    }

    private static String id(Map<String, String> fields) {
        String id = required(fields, HeaderFields.ID);
        // With a dot in it, the end of the id could be taken for a timestamp.
        if (id.length() > ID_MAX || id.indexOf('.') >= 0) {
            throw new RefusedException(
                    400, "the header " + HeaderFields.ID + " has up to " + ID_MAX + " characters, none of them a dot");
        }
        return id;
    }

    private Instant sentAt(Map<String, String> fields) {
        String text = required(fields, HeaderFields.TIMESTAMP);
        if (!text.matches("\\d{1,11}")) {
            throw new RefusedException(400, "the header " + HeaderFields.TIMESTAMP + " is not a number of seconds");
        }
        Instant sentAt = Instant.ofEpochSecond(Long.parseLong(text));
        Instant now = clock.instant();
        if (sentAt.isBefore(now.minus(config.tolerance())) || sentAt.isAfter(now.plus(config.tolerance()))) {
            throw new RefusedException(401, "the timestamp is too far from now");
        }
        return sentAt;
    }

    private void requireSignature(String signatures, String id, Instant sentAt, byte[] body) {
        String[] all = signatures.split(" +", SIGNATURES_MAX + 1);
        boolean verified = false;
        for (int i = 0; i < Math.min(all.length, SIGNATURES_MAX); i++) {
            for (Secret secret : config.secrets()) {
                verified |= secret.verifies(all[i], id, sentAt.getEpochSecond(), body);
            }
        }
        if (!verified) {
            throw new RefusedException(401, "no signature is right");
        }
    }

    private static void requireJson(Map<String, String> fields) {
        String type = fields.getOrDefault("content-type", "").split(";", 2)[0].strip();
        if (!type.matches("(?i)application/([\\w.-]+\\+)?json")) {
            throw new RefusedException(415, "the content type is not JSON");
        }
    }

    /**
     * For the HTTP server in every Java: answers 200 once the webhook is stored, also if it had been before; 400, 401,
     * 405, 413 or 415 if it is refused; 503 if it could not be stored.
     */
    public HttpHandler handler(Receiver receiver) {
        return new ReceiverHandler(this, receiver);
    }
}
