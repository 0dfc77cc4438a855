package io.postrider.webhook;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.postrider.text.Failure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/** Stores what is posted, and tells the sender. Thread-safe. */
final class ReceiverHandler implements HttpHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ReceiverHandler.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String RETRY_SECONDS = "5";

    private final WebhookReceiver verifier;
    private final Receiver receiver;

    ReceiverHandler(WebhookReceiver verifier, Receiver receiver) {
        this.verifier = verifier;
        this.receiver = receiver;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            try {
                receive(exchange);
                answer(exchange, 200, Map.of("status", "received"));
            } catch (RefusedException e) {
                answer(exchange, e.status(), Map.of("error", e.why()));
            }
        }
    }

    private void receive(HttpExchange exchange) throws IOException {
        if (!exchange.getRequestMethod().equals("POST")) {
            exchange.getResponseHeaders().set("Allow", "POST");
            throw new RefusedException(405, "webhooks are posted");
        }
        Verified verified = verifier.verify(headers(exchange), body(exchange));
        try {
            receiver.receive(List.of(verified.incoming()));
        } catch (IllegalArgumentException e) {
            throw new RefusedException(400, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.warn("A webhook could not be stored; its sender was asked to send it again.", Failure.tellable(e));
            exchange.getResponseHeaders().set("Retry-After", RETRY_SECONDS);
            throw new RefusedException(503, "it could not be stored, send it again");
        }
    }

    /** Of a header that comes twice, all values. */
    private static Map<String, String> headers(HttpExchange exchange) {
        Map<String, String> headers = new HashMap<>();
        exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, String.join(" ", values)));
        return headers;
    }

    private byte[] body(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(verifier.bodyMax() + 1);
        if (body.length > verifier.bodyMax()) {
            throw verifier.tooLarge();
        }
        return body;
    }

    private static void answer(HttpExchange exchange, int status, Map<String, String> content) throws IOException {
        byte[] body = JSON.writeValueAsString(content).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }
}
