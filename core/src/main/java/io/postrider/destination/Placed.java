package io.postrider.destination;

import io.postrider.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/**
 * A source whose broker keeps a stream and the position of its reader apart. A stream that has lost its end gives the
 * numbers of the lost messages to others, and a reader's position beyond that end skips them. So the receiver keeps the
 * newest place of which it has taken a message, and the source compares it with the stream at each connect, before it
 * gives anything.
 */
public interface Placed extends Source {

    /** Gives the source the memory of its receiver, before the first pull. */
    void remember(Memory memory);

    /**
     * Where a message lies in its stream. Numbers are given again after a loss; then the time differs.
     *
     * @param era how often the stream was found to have gone back before
     * @param sequence the message's number, or zero for the place before the first message
     * @param at when the broker stored it, to the nanosecond
     */
    record Place(long era, long sequence, Instant at) implements Comparable<Place> {
        private static final Comparator<Place> BY_AGE =
                Comparator.comparingLong(Place::era).thenComparing(Place::at).thenComparingLong(Place::sequence);

        public Place {
            if (era < 0 || sequence < 0) {
                throw new IllegalArgumentException(
                        "era and sequence of a place are not negative, got " + era + " and " + sequence);
            }
        }

        /** The newest place is the greatest. */
        @Override
        public int compareTo(Place other) {
            return BY_AGE.compare(this, other);
        }
    }

    /** An arrival that knows its place. */
    interface PlacedArrival extends Arrival {
        Place place();
    }

    /** What a receiver knows of the source it reads. Its methods throw {@link StoreException}. */
    interface Memory {

        /** The newest place of which a message was taken, on whichever node; no message beyond it was acknowledged. */
        Optional<Place> newest();

        /** How long a message that was received is known when it comes again. */
        Duration keptFor();

        /**
         * The stream had gone back, and its reader was set back accordingly.
         *
         * @param end the present end of the stream, in an era of its own
         * @param why what was found, and where reading begins again
         */
        void wentBack(Place end, String why);
    }
}
