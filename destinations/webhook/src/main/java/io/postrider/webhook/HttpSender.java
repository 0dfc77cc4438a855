package io.postrider.webhook;

import io.postrider.webhook.HttpFailure.Kind;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;

/** Sends requests, over connections that are kept for a while. Thread-safe. */
final class HttpSender {
    /** Time enough for a listener to close that was about to. */
    private static final Duration LISTENER_CLOSES_WITHIN = Duration.ofMillis(100);

    private final Reach reach;
    private final SSLContext tls;
    private final Watch watch;

    HttpSender(Reach reach, SSLContext tls, ScheduledExecutorService timer) {
        this.reach = reach;
        this.tls = tls;
        this.watch = new Watch(timer);
    }

    /** Sends a request, and sends it on as often as redirects are allowed. */
    HttpAnswer send(Endpoint endpoint, HttpPost post, EndpointLimits limits) throws HttpFailure, OutOfReachException {
        HttpPost next = post;
        HttpAnswer answer = once(endpoint, next, limits);
        for (int i = 0; i < limits.redirects(); i++) {
            HttpTarget to = Verdict.follow(next.target(), answer).orElse(null);
            if (to == null) {
                return answer;
            }
            next = next.to(to);
            answer = once(endpoint, next, limits);
        }
        return answer;
    }

    private HttpAnswer once(Endpoint endpoint, HttpPost post, EndpointLimits limits)
            throws HttpFailure, OutOfReachException {
        HttpConnection kept = endpoint.kept();
        while (kept != null) {
            try {
                return exchange(kept, endpoint, post, limits);
            } catch (HttpFailure e) {
                if (e.kind() != Kind.STALE) {
                    throw e;
                }
                kept = endpoint.kept();
            }
        }
        return exchange(connect(post.target(), limits.connectTimeout()), endpoint, post, limits);
    }

    private HttpAnswer exchange(HttpConnection connection, Endpoint endpoint, HttpPost post, EndpointLimits limits)
            throws HttpFailure {
        HttpAnswer answer = connection.exchange(post, limits);
        if (answer.last() || limits.keepAlive().isZero()) {
            connection.close();
        } else {
            endpoint.keep(connection, limits.keepAlive());
        }
        return answer;
    }

    /** Whether anyone is there: connects, with TLS where it is https, and hangs up. */
    void knock(HttpTarget target, EndpointLimits limits) throws HttpFailure, OutOfReachException {
        connect(target, limits.connectTimeout()).close();
    }

    /**
     * Whether nobody takes connections any more. A server that goes may hang up on its callers before its listener
     * closes, so a connection that does not last says nothing, and one that is made when the listener has had its time
     * decides.
     */
    boolean isDeserted(HttpTarget target, EndpointLimits limits) {
        Duration third = limits.connectTimeout().dividedBy(3); // all of it takes no longer than a connection may
        Duration moment = third.compareTo(LISTENER_CLOSES_WITHIN) < 0 ? third : LISTENER_CLOSES_WITHIN;
        try {
            HttpConnection first = connect(target, third);
            long connected = System.nanoTime();
            boolean lasts = first.lasts(moment);
            first.close();
            if (!lasts) {
                LockSupport.parkNanos(connected + moment.toNanos() - System.nanoTime());
                connect(target, third).close();
            }
            return false;
        } catch (HttpFailure | OutOfReachException e) {
            return true;
        }
    }

    private HttpConnection connect(HttpTarget target, Duration timeout) throws HttpFailure, OutOfReachException {
        return HttpConnection.open(target, reach, tls, watch, timeout);
    }

    void close() {
        watch.close();
    }
}
