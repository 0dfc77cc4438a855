package io.postrider.tck.destination;

import io.postrider.Event;
import io.postrider.destination.Destination;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A destination and the server behind it, as the suite needs them. Closing it closes both.
 *
 * <p>One fixture serves all tests of a suite, one after the other, because a server may take seconds to start. Each
 * test has events of its own, and looks for those only. Their types are {@link DestinationSuite#TYPE} and
 * {@link DestinationSuite#OTHER_TYPE}, but for those of {@link #refused}.
 *
 * <p>Called by one thread at a time.
 */
public interface DestinationFixture extends AutoCloseable {

    /**
     * A destination to the server, with a small window and a patience of about a second; further calls give further
     * ones. It is {@link AutoCloseable}: the suite closes it after each test, and the fixture may close it again. Does
     * not fail while the server is down.
     */
    Destination open();

    /** What the server has, or was handed on, in its order; of a de-duplicating server each event once. */
    List<Arrived> arrived();

    /** Ends the server as a crash does, at once. What was acknowledged stays, if the server keeps it. */
    void stopServer();

    /** Starts it again, where it was, and waits until it takes connections. */
    void startServer();

    /**
     * Lets it answer nothing while its connections stay open. Throws {@link UnsupportedOperationException} where
     * {@link Limitation#CANNOT_BE_PAUSED}.
     */
    void pauseServer();

    void resumeServer();

    /**
     * An event that the server refuses, however often it comes, or that the destination cannot even send; the suite
     * gives it an id. Throws {@link UnsupportedOperationException} where {@link Limitation#REFUSES_NOTHING}.
     */
    Event refused();

    /** A part of the reason that the dead event has then. */
    String refusal();

    /** What this one cannot do: the suite asserts that it does not. */
    Set<Limitation> limitations();

    /** How long the suite waits for something that others do; long, since nobody waits for success. */
    default Duration patience() {
        return Duration.ofSeconds(60);
    }

    @Override
    void close();

    /** An event as it has arrived. */
    record Arrived(String id, String type, @Nullable String key, String payload, Map<String, String> headers) {}

    /** Something a destination may be unable to do. */
    enum Limitation {
        /** It cannot be paused: the server runs in this process. */
        CANNOT_BE_PAUSED,
        /** It takes everything. */
        REFUSES_NOTHING,
        /** What arrives while nobody listens is gone. */
        KEEPS_NOTHING,
        /** An event that is dispatched twice arrives twice. */
        DOES_NOT_DEDUPLICATE
    }
}
