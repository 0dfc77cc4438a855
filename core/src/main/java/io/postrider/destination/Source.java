package io.postrider.destination;

import io.postrider.wire.Incoming;
import java.time.Duration;
import java.util.List;

/**
 * Where messages come from: a durable consumer of a broker. Each message comes again until it is acknowledged.
 *
 * <p>One thread pulls; messages may be acknowledged on any thread.
 */
public interface Source extends AutoCloseable {

    /** What it is called in records of what was received: the same for all nodes that share its messages, for good. */
    String name();

    /**
     * Waits until there is a message, for this long at most, and takes what there is. Connects if it has to.
     *
     * @return up to {@code most} messages, in their order
     * @throws SourceException if the broker does not answer; the next call tries again
     */
    List<Arrival> pull(int most, Duration wait) throws InterruptedException;

    /**
     * Whether {@link Arrival#attempt} goes on where it was when a process has died. Where it does not, a message that
     * ends its process each time is never given up.
     */
    boolean countsAttempts();

    @Override
    void close();

    /** A message that has arrived, and is to be answered by one of its methods. None of them throws. */
    interface Arrival {

        /**
         * What it brings.
         *
         * @throws io.postrider.wire.UndecodableException if no event can be made of it, however often it comes; the
         *     message is set aside with its bytes
         * @throws SourceException if it cannot be read at present; the message comes again
         * @throws RuntimeException any other means that no event can be made of it, too; the message is set aside
         *     without its bytes, and ended by {@link #term}
         */
        Incoming incoming();

        /** How often it has been delivered, this time included, as far as its source counts. */
        int attempt();

        /** It is done, and does not come again. */
        void ack();

        /** It is to come again, after this time at the earliest. */
        void nak(Duration after);

        /** It is not to come again, although it was not handled. */
        void term(String why);

        /** It is still being worked on: its source is to wait for longer. */
        void working();
    }
}
