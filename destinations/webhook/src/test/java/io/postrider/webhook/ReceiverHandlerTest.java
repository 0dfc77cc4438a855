package io.postrider.webhook;

import static io.postrider.webhook.Letters.dispatch;
import static io.postrider.webhook.Letters.letter;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Inbox;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.memory.MemoryStore;
import io.postrider.tck.destination.RoundTrip;
import io.postrider.wire.Incoming;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Over HTTP, from our destination and from a client that is not ours. */
class ReceiverHandlerTest {
    private final List<Incoming> stored = new CopyOnWriteArrayList<>();
    private volatile Receiver inbox = stored::addAll;
    private final PostOffice office = PostOffice.handledBy(
            WebhookReceiver.of(ReceiverConfig.of(Letters.SECRET).bodyMax(10_000))
                    .handler(some -> inbox.receive(some)));

    @AfterEach
    void close() {
        office.close();
    }

    private HttpResponse<String> post(StoredEvent event, byte[] body) throws Exception {
        long now = Instant.now().getEpochSecond();
        String id = event.id().toString();
        HttpRequest request = HttpRequest.newBuilder(URI.create(office.url("/")))
                .header("webhook-id", id)
                .header("webhook-timestamp", Long.toString(now))
                .header(
                        "webhook-signature",
                        Letters.SECRET.sign(
                                id, now, EnvelopeDocument.write(event).body()))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> post(StoredEvent event) throws Exception {
        return post(event, EnvelopeDocument.write(event).body());
    }

    @Test
    void what_is_verified_is_stored_and_answered_again_when_it_is_repeated() throws Exception {
        StoredEvent event = letter();
        for (int time = 0; time < 2; time++) {
            HttpResponse<String> response = post(event);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).isEqualTo("{\"status\":\"received\"}");
            assertThat(response.headers().firstValue("content-type")).contains("application/json");
        }
        assertThat(stored).extracting(Incoming::id).containsOnly(event.id().toString());
    }

    @Test
    void what_is_not_verified_is_not_stored() throws Exception {
        HttpResponse<String> tampered = post(letter(), "{}".getBytes(StandardCharsets.UTF_8));
        assertThat(tampered.statusCode()).isEqualTo(401);
        assertThat(tampered.body()).isEqualTo("{\"error\":\"no signature is right\"}");
        assertThat(post(letter(), new byte[10_001]).statusCode()).isEqualTo(413);
        HttpResponse<String> got = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(office.url("/"))).build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(got.statusCode()).isEqualTo(405);
        assertThat(got.headers().firstValue("allow")).contains("POST");
        assertThat(stored).isEmpty();
    }

    @Test
    void what_cannot_be_stored_now_is_asked_for_again() throws Exception {
        inbox = messages -> {
            throw new IllegalStateException("the database 'secret-name' is away");
        };
        HttpResponse<String> response = post(letter());
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("retry-after")).contains("5");
        assertThat(response.body()).doesNotContain("secret-name");
    }

    @Test
    void what_can_never_be_stored_is_refused_with_the_reason() throws Exception {
        inbox = messages -> {
            throw new IllegalArgumentException("the payload is too large");
        };
        HttpResponse<String> response = post(letter());
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).isEqualTo("{\"error\":\"the payload is too large\"}");
    }

    @Test
    void an_inbox_is_told_the_source_and_what_it_refuses_is_refused() throws Exception {
        List<String> sources = new CopyOnWriteArrayList<>();
        inbox = Receiver.into(
                (source, messages) -> {
                    sources.add(source);
                    return sources.size() == 1
                            ? new Inbox.Received(0, messages.size(), List.of())
                            : new Inbox.Received(0, 0, List.of(new Inbox.Refused(messages.get(0), "too deep")));
                },
                "partner");
        assertThat(post(letter()).statusCode()).isEqualTo(200);
        assertThat(post(letter()).body()).isEqualTo("{\"error\":\"too deep\"}");
        assertThat(sources).containsExactly("partner", "partner");
    }

    @Test
    void our_destination_understands_what_our_receiver_answers() {
        try (WebhookDestination destination =
                WebhookDestination.of(WebhookConfig.to(EndpointConfig.of(office.url("/"), Letters.SECRET))
                        .reach(Reach.publicOnly().allow("localhost")))) {
            assertThat(dispatch(destination, letter())).isEqualTo(Outcome.DELIVERED);
            inbox = messages -> {
                throw new IllegalStateException("away");
            };
            assertThat(((Outcome.Retry) dispatch(destination, letter())).at()).isNotNull();
        }
        try (WebhookDestination stranger =
                WebhookDestination.of(WebhookConfig.to(EndpointConfig.of(office.url("/"), Letters.OTHER_SECRET))
                        .reach(Reach.publicOnly().allow("localhost")))) {
            assertThat(((Outcome.Retry) dispatch(stranger, letter())).why()).contains("401", "no signature is right");
        }
    }

    @Test
    void from_one_log_to_another_everything_arrives_once_in_order_and_with_its_trace() throws Exception {
        try (var trip = RoundTrip.between(MemoryStore.create(), MemoryStore.create());
                WebhookDestination destination =
                        WebhookDestination.of(WebhookConfig.to(EndpointConfig.of(office.url("/"), Letters.SECRET))
                                .reach(Reach.publicOnly().allow("localhost")))) {
            inbox = Receiver.into(trip.inbox(), "the other");
            trip.assertArrives(destination);
        }
    }
}
