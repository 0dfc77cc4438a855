package io.postrider.engine.dispatch;

import io.postrider.Environment;
import io.postrider.destination.Connected;
import io.postrider.destination.Destination;
import io.postrider.destination.Guarded;
import io.postrider.engine.base.Observers;
import io.postrider.engine.base.Outage;
import io.postrider.engine.base.Pauses;
import io.postrider.observe.Observation;
import io.postrider.operate.DestinationStatus;
import io.postrider.text.Failure;
import io.postrider.text.Logs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * What a node knows of one destination: whether it takes events, and how many more at present.
 *
 * <p>A destination that is down is nobody's fault but its own: whoever delivers to it waits, nothing is parked and no
 * attempt is counted. It is probed, with longer and longer pauses, and when it answers everybody goes on.
 *
 * <p>Thread-safe. Whom it tells is called without its lock.
 */
public final class Circuit {
    private static final Logger LOG = Logs.of(Circuit.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    /** A question without an answer counts as failed after this; what is said later is not heard. */
    public static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

    private final Destination destination;
    private final Environment environment;
    private final Duration longest;
    private final Observers observers;
    private final Destination.Profile profile;
    private final Set<String> subscriptions = new TreeSet<>();
    private final List<Runnable> waitForUp = new ArrayList<>();
    private final Set<Runnable> waitForRoom = new LinkedHashSet<>();
    private int underWay;
    private @Nullable Outage outage;
    private volatile long outages;
    private final Pauses pauses;
    private long upNanos;
    private boolean stopped;
    private Environment.Timer timer = () -> {};

    /** Since when it is down, by both clocks, and what it said last. */
    private record Outage(Instant since, long sinceNanos, String why) {}

    Circuit(Destination destination, Environment environment, Duration longest, Observers observers) {
        this.destination = destination;
        this.environment = environment;
        this.longest = longest;
        this.pauses = new Pauses(FIRST_PAUSE, longest);
        this.observers = observers;
        this.profile = destination.profile();
        this.upNanos = environment.nanos() - longest.toNanos();
        if (destination instanceof Connected connected) {
            connected.onCutOff(this::down);
        }
    }

    public Destination destination() {
        return destination;
    }

    /** A subscription delivers to it. */
    synchronized void usedBy(String subscription) {
        subscriptions.add(subscription);
    }

    /** What people call it, once for each subscription that delivers to it. */
    private synchronized List<String> names() {
        return subscriptions.isEmpty()
                ? List.of(destination.kind())
                : subscriptions.stream().map(this::nameIn).toList();
    }

    /** What people call it where it is this subscription's. */
    public String nameIn(String subscription) {
        return subscription + " (" + destination.kind() + ")";
    }

    /** How it stands where it is this subscription's. */
    Optional<DestinationStatus> statusIn(String subscription) {
        return status().stream()
                .filter(status -> status.name().equals(nameIn(subscription)))
                .findFirst();
    }

    synchronized List<DestinationStatus> status() {
        Outage now = outage;
        return names().stream()
                .map(name ->
                        new DestinationStatus(name, now == null ? null : now.since(), now == null ? null : now.why()))
                .toList();
    }

    // ---- up and down ------------------------------------------------------------------------------------------------

    boolean isGuarded() {
        return destination() instanceof Guarded;
    }

    synchronized boolean isUp() {
        return outage == null;
    }

    /** How often it has been down: what was known of it before another outage is worth nothing after it. */
    public long outages() {
        return outages;
    }

    /** From now on this is called each time it takes events again. */
    synchronized void onUp(Runnable goOn) {
        waitForUp.add(goOn);
    }

    /** It is down: said once, and probed until it is not. */
    public void down(String why) {
        synchronized (this) {
            outages++; // also within an outage: what a lane has learned while it was probed is worth nothing either
            if (outage != null || stopped) {
                return;
            }
            outage = new Outage(environment.now(), environment.nanos(), why);
            if (environment.nanos() - upNanos > longest.toNanos()) {
                pauses.reset(); // one that is down again at once is asked no more often than if it had not been up
            }
            probeLater();
        }
        LOG.error(
                "Destination {} is down; what is for it waits, costs no attempt, and goes on by itself: {}",
                String.join(", ", names()),
                why);
        names().forEach(name -> observers.observe(new Observation.DestinationDown(name, why)));
    }

    private void probeLater() {
        timer = environment.schedule(pauses.next(), this::probe);
    }

    private void probe() {
        Probe probe = new Probe();
        synchronized (this) {
            timer = environment.schedule(ANSWER_WITHIN, probe::isLate);
        }
        try {
            destination.probe().whenComplete((nothing, failure) -> probe.ended(failure));
        } catch (Throwable e) {
            probe.ended(e);
        }
    }

    /** One question, and the first that is heard of it. */
    private final class Probe {
        private final AtomicBoolean ended = new AtomicBoolean();

        void isLate() {
            ended(new IllegalStateException("a probe had no answer within " + ANSWER_WITHIN.toSeconds() + " s"));
        }

        void ended(@Nullable Throwable failure) {
            if (ended.compareAndSet(false, true)) {
                probed(failure);
            }
        }
    }

    private void probed(@Nullable Throwable failure) {
        synchronized (this) {
            timer.cancel();
            if (failure != null && outage != null && !stopped) {
                outage = new Outage(outage.since(), outage.sinceNanos(), reason(Failure.tellable(failure)));
                probeLater();
            }
        }
        if (failure == null) {
            up();
        }
    }

    private static String reason(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return Failure.message(cause);
    }

    private void up() {
        List<Runnable> goOn;
        Duration lasted;
        synchronized (this) {
            if (outage == null || stopped) {
                return;
            }
            lasted = Duration.ofNanos(environment.nanos() - outage.sinceNanos());
            outage = null;
            upNanos = environment.nanos();
            goOn = List.copyOf(waitForUp);
        }
        LOG.info("Destination {} takes events again after {} ms", String.join(", ", names()), lasted.toMillis());
        names().forEach(name -> observers.observe(new Observation.DestinationUp(name, lasted)));
        goOn.forEach(Runnable::run);
    }

    /** Probes no more. */
    synchronized void stop() {
        stopped = true;
        timer.cancel();
    }

    // ---- window -----------------------------------------------------------------------------------------------------

    /**
     * Takes room for up to this many events; if there is none, {@code again} is called when there is, once however
     * often it has asked.
     */
    int take(int wanted, Runnable again) {
        if (profile.window() == Integer.MAX_VALUE) {
            return wanted;
        }
        synchronized (this) {
            int granted = Math.min(wanted, profile.window() - underWay);
            if (granted <= 0) {
                waitForRoom.add(again);
                return 0;
            }
            underWay += granted;
            return granted;
        }
    }

    /** These have been answered, or were not sent. */
    void give(int answered) {
        if (profile.window() == Integer.MAX_VALUE || answered == 0) {
            return;
        }
        List<Runnable> again;
        synchronized (this) {
            underWay -= answered;
            again = List.copyOf(waitForRoom);
            waitForRoom.clear();
        }
        again.forEach(Runnable::run);
    }
}
