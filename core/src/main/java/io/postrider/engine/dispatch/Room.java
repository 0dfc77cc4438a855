package io.postrider.engine.dispatch;

import io.postrider.destination.Destination;

/** How many more events a destination takes. */
public interface Room {
    /** For handlers in this process. */
    Room UNBOUNDED = new Room() {
        @Override
        public int take(Destination destination, int wanted) {
            return wanted;
        }

        @Override
        public void give(Destination destination, int unneeded) {}
    };

    /** The same, one by one. */
    Room OF_ONE = new Room() {
        @Override
        public int take(Destination destination, int wanted) {
            return 1;
        }

        @Override
        public void give(Destination destination, int unneeded) {}
    };

    /** Takes room for up to this many. */
    int take(Destination destination, int wanted);

    /** Gives back room that was not needed. */
    void give(Destination destination, int unneeded);
}
