package io.postrider.webhook;

import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.webhook.HttpFailure.Kind;
import io.postrider.wire.Message;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Posts each event to an HTTP endpoint, signed as Standard Webhooks says: {@code webhook-id} is the event's id, however
 * often it is sent.
 *
 * <p>An answer of 2xx is a delivery. 400, 409, 411, 413, 415 and 422 refuse the event, and 410 all events: such an
 * event is dead, with the beginning of the response as the reason. Every other answer, 401, 403, 404 and 429 among
 * them, is a retry that counts, at the time the endpoint asks for. Where nobody takes connections, a destination with
 * one endpoint is down; one with several retries the event, so that the other endpoints go on. A request that is not
 * answered in time is a retry if the endpoint still takes connections: a TCP connection that works says nothing about
 * the event that does not. An event whose turn does not come within the patience is postponed, which counts no attempt.
 *
 * <p>Thread-safe.
 */
public final class WebhookDestination implements Destination, AutoCloseable {
    private static final int ENDPOINTS_REMEMBERED = 10_000;

    private final WebhookConfig config;
    private final InstantSource clock;
    private final Profile profile;
    private final Threads threads;
    private final HttpSender sender;
    private final Map<Object, Endpoint> endpoints = new ConcurrentHashMap<>();
    /** The events that somebody waits for, to be told when the destination is closed. */
    private final Set<CompletableFuture<Outcome>> underWay = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    private WebhookDestination(WebhookConfig config, InstantSource clock) {
        if (config.endpoints() instanceof OneEndpoint one) {
            config.reach().requireLiteral(HttpTarget.of(one.config().url()).host());
        }
        this.config = config;
        this.clock = clock;
        this.profile = new Profile(config.name(), 1, config.window(), config.patience());
        this.threads = new Threads(config.window());
        this.sender = new HttpSender(config.reach(), config.tls(), threads.timer());
    }

    /**
     * A destination for these endpoints.
     *
     * @throws IllegalArgumentException if its one endpoint is an address that may not be reached
     */
    public static WebhookDestination of(WebhookConfig config) {
        return new WebhookDestination(config, InstantSource.system());
    }

    static WebhookDestination of(WebhookConfig config, InstantSource clock) {
        return new WebhookDestination(config, clock);
    }

    @Override
    public String kind() {
        return profile.name().startsWith("webhook") ? profile.name() : "webhook " + profile.name();
    }

    @Override
    public Profile profile() {
        return profile;
    }

    /** Cancelling the stage gives the call up: an event that was not posted by then is never posted. */
    @Override
    public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
        List<CompletableFuture<Outcome>> outcomes =
                dispatches.stream().map(dispatch -> outcome(dispatch.event())).collect(Collectors.toList());
        CompletableFuture<List<Outcome>> answer = CompletableFuture.allOf(outcomes.toArray(CompletableFuture[]::new))
                .thenApply(
                        done -> outcomes.stream().map(CompletableFuture::join).collect(Collectors.toList()));
        CompletableFuture<?> unused = answer.whenComplete((done, failed) -> outcomes.forEach(this::end));
        return answer;
    }

    /** Nobody waits for this one any more. */
    private void end(CompletableFuture<Outcome> outcome) {
        outcome.cancel(false);
        underWay.remove(outcome);
    }

    /** Completes in any case: with what became of the event, or as soon as the destination is closed. */
    private CompletableFuture<Outcome> outcome(StoredEvent event) {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        underWay.add(outcome);
        if (closed) {
            outcome.complete(closed());
            return outcome;
        }
        CompletableFuture<?> unused = find(event, outcome)
                .thenCompose(to -> to.isPresent()
                        ? turn(event, to.get(), outcome)
                        : CompletableFuture.completedFuture(Outcome.dead(nowhere(event))))
                .exceptionally(this::unexpected)
                .thenAccept(outcome::complete);
        return outcome;
    }

    private CompletableFuture<Optional<EndpointConfig>> find(StoredEvent event, CompletableFuture<Outcome> outcome) {
        if (config.endpoints() instanceof OneEndpoint one) {
            return CompletableFuture.completedFuture(Optional.of(one.config()));
        }
        return threads.run(outcome, () -> config.endpoints().endpoint(event));
    }

    private static String nowhere(StoredEvent event) {
        return "no endpoint takes events of the type '" + event.type() + "'"
                + (event.tenant() == null ? "" : " and the tenant '" + event.tenant() + "'");
    }

    private CompletableFuture<Outcome> turn(StoredEvent event, EndpointConfig to, CompletableFuture<Outcome> outcome) {
        Endpoint endpoint = endpoint(to);
        Optional<Instant> alone = endpoint.leftAlone(clock.instant());
        if (alone.isPresent()) {
            return CompletableFuture.completedFuture(leftAlone(alone.get()));
        }
        Turnstile turnstile = endpoint.turnstile();
        CompletableFuture<Void> turn = turnstile.enter();
        CompletableFuture<?> unused = outcome.whenComplete((done, failed) -> turn.cancel(false));
        if (!turn.isDone()) {
            waitsNoLongerThanPatience(turn, to);
        }
        return turn.thenCompose(entered -> threads.run(outcome, () -> post(event, to, endpoint))
                .whenComplete((done, failed) -> turnstile.leave()));
    }

    private void waitsNoLongerThanPatience(CompletableFuture<Void> turn, EndpointConfig to) {
        String why = "its turn at " + HttpTarget.of(to.url()).authority() + " did not come within "
                + Time.words(config.patience());
        Future<?> late = threads.timer()
                .schedule(
                        () -> turn.completeExceptionally(new NoTurnException(why)),
                        config.patience().toNanos(),
                        TimeUnit.NANOSECONDS);
        CompletableFuture<?> unused = turn.whenComplete((entered, failed) -> late.cancel(false));
    }

    /** An endpoint has so much to do that an event was not sent. */
    private static final class NoTurnException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NoTurnException(String why) {
            super(why, null, false, false);
        }
    }

    private Endpoint endpoint(EndpointConfig to) {
        if (endpoints.size() >= ENDPOINTS_REMEMBERED) {
            Instant now = clock.instant();
            endpoints.values().removeIf(endpoint -> endpoint.isForgettable(now));
        }
        return endpoints.computeIfAbsent(
                List.of(to.url(), to.limits()), key -> new Endpoint(to.limits(), threads.timer()));
    }

    /** An endpoint's wish to be left alone is no fault of the events that come meanwhile. */
    private Outcome leftAlone(Instant until) {
        String why = "the endpoint asked to be left alone until " + until;
        return config.endpoints() instanceof OneEndpoint ? Outcome.down(why) : Outcome.postponed(until, why);
    }

    private Outcome post(StoredEvent event, EndpointConfig to, Endpoint endpoint) {
        Optional<Instant> alone = endpoint.leftAlone(clock.instant());
        if (alone.isPresent()) {
            return leftAlone(alone.get());
        }
        HttpTarget target = HttpTarget.of(to.url());
        try {
            HttpAnswer answer = sender.send(endpoint, request(event, to, target), to.limits());
            Outcome outcome =
                    Verdict.of(target, answer, clock.instant(), to.limits().retryAfterMax());
            if (outcome.at() != null) {
                endpoint.leaveAlone(outcome.at());
            }
            return outcome;
        } catch (OutOfReachException e) {
            return Outcome.retry(e.why()); // a name's addresses are configuration, which somebody will mend
        } catch (HttpFailure e) {
            return failed(target, to.limits(), e);
        }
    }

    private HttpPost request(StoredEvent event, EndpointConfig to, HttpTarget target) {
        Message message = config.encoding().encode(event);
        String id = event.id().toString();
        long timestamp = clock.instant().getEpochSecond();
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(to.headers());
        headers.putAll(HeaderFields.write(message));
        headers.put(HeaderFields.ID, id);
        headers.put(HeaderFields.TIMESTAMP, Long.toString(timestamp));
        if (!to.secrets().isEmpty()) {
            headers.put(
                    HeaderFields.SIGNATURE,
                    to.secrets().stream()
                            .map(secret -> secret.sign(id, timestamp, message.body()))
                            .collect(Collectors.joining(" ")));
        }
        return new HttpPost(target, headers, message.body());
    }

    private Outcome failed(HttpTarget target, EndpointLimits limits, HttpFailure failure) {
        if (closed) {
            return closed();
        }
        String why = target + ": " + failure.getMessage();
        if (!(config.endpoints() instanceof OneEndpoint)) {
            return Outcome.retry(why);
        }
        return failure.kind() == Kind.UNREACHABLE || sender.isDeserted(target, limits)
                ? Outcome.down(why)
                : Outcome.retry(why);
    }

    /** Completes at once where there are several endpoints: such a destination is never down. */
    @Override
    public CompletionStage<Void> probe() {
        if (closed) {
            return CompletableFuture.failedFuture(new IllegalStateException("the destination is closed"));
        }
        if (!(config.endpoints() instanceof OneEndpoint one)) {
            return CompletableFuture.completedFuture(null);
        }
        return threads.run(() -> {
            Optional<Instant> alone = endpoint(one.config()).leftAlone(clock.instant());
            if (alone.isPresent()) {
                throw new IllegalStateException("the endpoint asked to be left alone until " + alone.get());
            }
            sender.knock(HttpTarget.of(one.config().url()), one.config().limits());
            return null;
        });
    }

    private Outcome unexpected(Throwable failure) {
        Throwable cause = failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof NoTurnException late) {
            return Outcome.postponed(null, String.valueOf(late.getMessage()));
        }
        return closed || cause instanceof RejectedExecutionException ? closed() : Outcome.retry(cause.toString());
    }

    private static Outcome closed() {
        return Outcome.down("the destination is closed");
    }

    /** Ends what is under way: nobody knows then whether it has arrived. */
    @Override
    public void close() {
        closed = true;
        sender.close();
        threads.close();
        underWay.forEach(outcome -> outcome.complete(closed()));
    }
}
