package io.postrider.webhook;

import static io.postrider.webhook.Letters.letter;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import io.postrider.destination.Outcome;
import io.postrider.tck.Eventually;
import io.postrider.text.TypePattern;
import io.postrider.webhook.PostOffice.Answer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How many at once, and how many in a second. */
class PaceTest {
    private static final Eventually EVENTUALLY = new Eventually(Duration.ofSeconds(20));
    private static final Reach LOCAL = Reach.publicOnly().allow("localhost");

    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final CountDownLatch gate = new CountDownLatch(1);

    private void pass(HttpExchange exchange) throws IOException {
        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        } finally {
            inside.decrementAndGet();
        }
        Answer.status(200, "").to(exchange);
    }

    @Test
    void an_endpoint_has_no_more_requests_at_once_than_it_may() {
        try (PostOffice office = PostOffice.open(this::pass);
                WebhookDestination destination = WebhookDestination.of(WebhookConfig.to(
                                EndpointConfig.unsigned(office.url("/")).limits(EndpointLimits.DEFAULT.concurrency(3)))
                        .window(20)
                        .reach(LOCAL))) {
            List<CompletableFuture<Outcome>> outcomes = begin(destination, 20);
            EVENTUALLY.holds(() -> assertThat(inside).hasValue(3));
            gate.countDown();
            assertDelivered(outcomes);
            assertThat(most).hasValue(3);
            assertThat(office.posted()).hasSize(20);
        }
    }

    @Test
    void an_endpoint_that_is_slow_does_not_slow_the_others() {
        try (PostOffice slow = PostOffice.open(this::pass);
                PostOffice quick = PostOffice.open(Answer.status(200, ""))) {
            EndpointConfig one = EndpointConfig.unsigned(slow.url("/")).limits(EndpointLimits.DEFAULT.concurrency(1));
            EndpointConfig other = EndpointConfig.unsigned(quick.url("/"));
            Endpoints endpoints = Endpoints.byTenant(Map.of("slow", one, "quick", other));
            try (WebhookDestination several =
                    WebhookDestination.of(WebhookConfig.to(endpoints).window(4).reach(LOCAL))) {
                List<CompletableFuture<Outcome>> stuck = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    stuck.add(Letters.begin(several, Letters.of("slow", "a")));
                }
                EVENTUALLY.holds(() -> assertThat(inside).hasValue(1));
                for (int i = 0; i < 10; i++) {
                    assertThat(Letters.dispatch(several, Letters.of("quick", "a")))
                            .isEqualTo(Outcome.DELIVERED);
                }
                assertThat(stuck).noneMatch(CompletableFuture::isDone);
                gate.countDown();
                assertDelivered(stuck);
                assertThat(most).hasValue(1);
            }
        }
    }

    @Test
    void requests_begin_at_the_pace_of_the_endpoint_and_nobody_waits_for_them() {
        int perSecond = 10;
        int events = 21;
        try (PostOffice office = PostOffice.open(Answer.status(200, ""));
                WebhookDestination destination = WebhookDestination.of(WebhookConfig.to(EndpointConfig.unsigned(
                                        office.url("/"))
                                .limits(EndpointLimits.DEFAULT.concurrency(8).perSecond(perSecond)))
                        .reach(LOCAL))) {
            long start = System.nanoTime();
            List<CompletableFuture<Outcome>> outcomes = begin(destination, events);
            Duration called = Duration.ofNanos(System.nanoTime() - start);
            assertDelivered(outcomes);
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            assertThat(took).isGreaterThanOrEqualTo(Duration.ofMillis(1_000L * (events - 1) / perSecond));
            assertThat(called).isLessThan(took.dividedBy(2));
        }
    }

    @Test
    void an_endpoint_is_chosen_by_the_type_of_the_event() {
        EndpointConfig letters = EndpointConfig.unsigned("https://letters.example.com");
        EndpointConfig rest = EndpointConfig.unsigned("https://rest.example.com");
        Map<TypePattern, EndpointConfig> map = new LinkedHashMap<>();
        map.put(new TypePattern("letter.*"), letters);
        map.put(new TypePattern("parcel.**"), rest);
        Endpoints endpoints = Endpoints.byType(map);
        assertThat(endpoints.endpoint(Letters.of(null, "letter.sent"))).contains(letters);
        assertThat(endpoints.endpoint(Letters.of(null, "parcel.sent.late"))).contains(rest);
        assertThat(endpoints.endpoint(Letters.of(null, "card.sent"))).isEqualTo(Optional.empty());
    }

    private static List<CompletableFuture<Outcome>> begin(WebhookDestination destination, int count) {
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            outcomes.add(Letters.begin(destination, letter()));
        }
        return outcomes;
    }

    private static void assertDelivered(List<CompletableFuture<Outcome>> outcomes) {
        assertThat(outcomes)
                .allSatisfy(outcome -> assertThat(Letters.await(outcome)).isEqualTo(Outcome.DELIVERED));
    }
}
