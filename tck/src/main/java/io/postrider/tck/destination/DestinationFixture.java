package io.postrider.tck.destination;

import io.postrider.Event;
import io.postrider.spi.Destination;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A destination and the server behind it, as the suite needs them. Closing it closes both. */
public interface DestinationFixture extends AutoCloseable {

    /** A destination to the server, with a small window; further calls give further ones, closed with the fixture. */
    Destination open();

    /** What the server has, or was handed on, in its order; of a de-duplicating server each event once. */
    List<Arrived> arrived();

    /** Ends the server as a crash does. What was acknowledged stays, if the server keeps it. */
    void stopServer();

    /** Starts it again, where it was. */
    void startServer();

    /** Lets it answer nothing while its connections stay open. */
    void pauseServer();

    void resumeServer();

    /** An event that the server refuses, however often it comes, or that the destination cannot even send. */
    Event refused();

    /** A part of the reason that the dead event has then. */
    String refusal();

    /** What this one cannot do: the suite asserts that it does not. */
    Set<Limitation> limitations();

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
