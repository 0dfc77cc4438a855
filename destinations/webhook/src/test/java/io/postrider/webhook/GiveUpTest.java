package io.postrider.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.tck.Eventually;
import io.postrider.webhook.PostOffice.Answer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Calls that the engine cancels, because it has waited for too long. */
class GiveUpTest {
    private static final Eventually EVENTUALLY = new Eventually(Duration.ofSeconds(20));
    private static final Reach LOCAL = Reach.publicOnly().allow("localhost");
    private static final EndpointLimits TWO_AT_ONCE = EndpointLimits.DEFAULT.concurrency(2);

    private final CountDownLatch gate = new CountDownLatch(1);

    private static StoredEvent of(String key) {
        return Letters.letter(Event.of("letter.sent", "x").key(key));
    }

    /** An endpoint that takes everything and answers nothing before the gate opens. */
    private PostOffice hanging() {
        return PostOffice.open(exchange -> {
            await();
            Answer.status(200, "").to(exchange);
        });
    }

    private void await() throws IOException {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    private static WebhookDestination toSeveral(PostOffice office) {
        return toSeveral(office, office);
    }

    /** What has the key "quick" goes to the other one. */
    private static WebhookDestination toSeveral(PostOffice office, PostOffice other) {
        EndpointConfig one = EndpointConfig.unsigned(office.url("/")).limits(TWO_AT_ONCE);
        EndpointConfig quick = EndpointConfig.unsigned(other.url("/"));
        return WebhookDestination.of(WebhookConfig.to(event -> Optional.of("quick".equals(event.key()) ? quick : one))
                .reach(LOCAL));
    }

    private static List<String> postedTo(PostOffice office) {
        return office.posted().stream()
                .map(posted -> posted.headers().get(HeaderFields.ID))
                .toList();
    }

    @Test
    void what_is_given_up_before_its_turn_is_never_posted_and_whoever_comes_later_is_next() {
        try (PostOffice office = hanging();
                WebhookDestination destination = WebhookDestination.of(WebhookConfig.to(
                                EndpointConfig.unsigned(office.url("/")).limits(TWO_AT_ONCE))
                        .window(64)
                        .reach(LOCAL))) {
            List<CompletableFuture<List<Outcome>>> first =
                    List.of(Letters.call(destination, of("ann")), Letters.call(destination, of("bob")));
            EVENTUALLY.holds(() -> assertThat(office.posted()).hasSize(2));
            List<CompletableFuture<List<Outcome>>> givenUp = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                givenUp.add(Letters.call(destination, of("key-" + i)));
            }
            givenUp.forEach(call -> call.cancel(true));
            StoredEvent later = of("key-0");
            CompletableFuture<List<Outcome>> delivered = Letters.call(destination, later);
            gate.countDown();
            first.forEach(call -> assertThat(Letters.await(call)).containsExactly(Outcome.DELIVERED));
            assertThat(Letters.await(delivered)).containsExactly(Outcome.DELIVERED);
            assertThat(postedTo(office)).hasSize(3).endsWith(later.id().toString());
        }
    }

    @Test
    void whose_turn_does_not_come_in_time_is_postponed_and_not_posted() {
        try (PostOffice office = hanging()) {
            EndpointConfig endpoint = EndpointConfig.unsigned(office.url("/")).limits(TWO_AT_ONCE);
            WebhookConfig config = WebhookConfig.to(event -> Optional.of(endpoint))
                    .patience(Duration.ofSeconds(1))
                    .reach(LOCAL);
            try (WebhookDestination destination = WebhookDestination.of(config)) {
                List<CompletableFuture<List<Outcome>>> first =
                        List.of(Letters.call(destination, of("ann")), Letters.call(destination, of("bob")));
                EVENTUALLY.holds(() -> assertThat(office.posted()).hasSize(2));
                Outcome waited = Letters.dispatch(destination, of("eve"));
                assertThat(waited).isInstanceOfSatisfying(Outcome.Retry.class, postponed -> {
                    assertThat(postponed.counts()).isFalse();
                    assertThat(postponed.why())
                            .startsWith("its turn at localhost")
                            .endsWith("within 1 s");
                });
                gate.countDown();
                first.forEach(call -> assertThat(Letters.await(call)).containsExactly(Outcome.DELIVERED));
                assertThat(office.posted()).hasSize(2);
            }
        }
    }

    @Test
    void a_call_of_several_events_is_given_up_as_a_whole() {
        try (PostOffice office = hanging();
                WebhookDestination destination = toSeveral(office)) {
            CompletableFuture<List<Outcome>> call =
                    Letters.call(destination, of("ann"), of("bob"), of("eve"), of("joe"));
            EVENTUALLY.holds(() -> assertThat(office.posted()).hasSize(2));
            call.cancel(true);
            gate.countDown();
            assertThat(Letters.dispatch(destination, of("ann"))).isEqualTo(Outcome.DELIVERED);
            assertThat(office.posted()).hasSize(3);
        }
    }

    @Test
    void what_is_under_way_when_it_is_given_up_keeps_its_place_until_it_ends() {
        try (PostOffice office = hanging();
                PostOffice quick = PostOffice.open(Answer.status(200, ""));
                WebhookDestination destination = toSeveral(office, quick)) {
            CompletableFuture<List<Outcome>> ann = Letters.call(destination, of("ann"));
            CompletableFuture<List<Outcome>> bob = Letters.call(destination, of("bob"));
            EVENTUALLY.holds(() -> assertThat(office.posted()).hasSize(2));
            ann.cancel(true);
            bob.cancel(true);
            CompletableFuture<List<Outcome>> eve = Letters.call(destination, of("eve"));
            for (int i = 0; i < 10; i++) {
                assertThat(Letters.dispatch(destination, of("quick"))).isEqualTo(Outcome.DELIVERED);
            }
            assertThat(office.posted()).hasSize(2);
            gate.countDown();
            assertThat(Letters.await(eve)).containsExactly(Outcome.DELIVERED);
            assertThat(office.posted()).hasSize(3);
        }
    }

    @Test
    void what_is_given_up_before_its_endpoint_is_looked_up_never_asks_for_it() {
        AtomicInteger asked = new AtomicInteger();
        try (PostOffice office = PostOffice.open(Answer.status(200, ""))) {
            EndpointConfig endpoint = EndpointConfig.unsigned(office.url("/"));
            Endpoints slow = event -> {
                asked.incrementAndGet();
                try {
                    gate.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return Optional.of(endpoint);
            };
            try (WebhookDestination destination =
                    WebhookDestination.of(WebhookConfig.to(slow).window(1).reach(LOCAL))) {
                CompletableFuture<List<Outcome>> asking = Letters.call(destination, of("ann"));
                EVENTUALLY.holds(() -> assertThat(asked).hasValue(1));
                CompletableFuture<List<Outcome>> behind = Letters.call(destination, of("bob"));
                asking.cancel(true);
                behind.cancel(true);
                gate.countDown();
                assertThat(Letters.dispatch(destination, of("eve"))).isEqualTo(Outcome.DELIVERED);
                assertThat(asked).hasValue(2);
                assertThat(office.posted()).hasSize(1);
            }
        }
    }

    @Test
    void who_waits_for_the_pace_and_gives_up_leaves_neither_a_place_nor_a_time_taken() {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        try {
            Turnstile turnstile = new Turnstile(TWO_AT_ONCE.perSecond(1), timer, () -> 0);
            assertThat(turnstile.enter()).isCompleted();
            turnstile.leave();
            CompletableFuture<Void> waits = turnstile.enter();
            assertThat(waits).isNotDone();
            assertThat(turnstile.isEmpty()).isFalse();
            waits.cancel(false);
            assertThat(turnstile.isEmpty()).isTrue();
        } finally {
            timer.shutdownNow();
        }
    }
}
