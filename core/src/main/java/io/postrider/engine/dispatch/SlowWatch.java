package io.postrider.engine.dispatch;

import io.postrider.Environment;
import java.time.Duration;
import java.util.function.BiConsumer;

/** Gives a flight up whose handler runs for too long. */
final class SlowWatch {
    private final Environment environment;
    private final Duration timeout;
    private final Flight flight;
    private final BiConsumer<Flight, String> cut;
    private Environment.Timer timer;

    SlowWatch(Environment environment, Duration timeout, Flight flight, BiConsumer<Flight, String> cut) {
        this.environment = environment;
        this.timeout = timeout;
        this.flight = flight;
        this.cut = cut;
        this.timer = environment.schedule(timeout, this::look);
    }

    private synchronized void look() {
        Long running = flight.transaction().runningNanos(environment.nanos());
        if (running == null) {
            return;
        }
        Duration left = timeout.minusNanos(running);
        if (left.isNegative() || left.isZero()) {
            cut.accept(flight, "no answer within handlerTimeout, " + timeout.toMillis() + " ms");
        } else {
            timer = environment.schedule(left, this::look);
        }
    }

    synchronized void end() {
        timer.cancel();
    }
}
