package io.postrider.benchmarks.brokers;

import io.postrider.destination.Destination;

/** Where the messages of a round go. */
interface Place {

    /** What it is, for those who want to repeat a round. */
    String what();

    /** Makes a new one with nothing in it, in place of the last. */
    void renew() throws Exception;

    /** Does something with a destination that leads there, and closes it. */
    double reach(Reaching work) throws Exception;

    /** The client library of its broker. */
    BareClient.Kind client();

    /** How many messages there are. */
    long stored() throws Exception;

    /** Sends so many with the bare client, to a new place; the rate per second until the last is acknowledged. */
    default double send(long messages, Sending work) throws Exception {
        renew();
        double rate;
        try (BareClient client = client().opening().open()) {
            long begin = System.nanoTime();
            work.with(client);
            client.await();
            rate = messages * 1e9 / (System.nanoTime() - begin);
        }
        requireStored(messages);
        return rate;
    }

    /** What is sent with a bare client. */
    interface Sending {
        void with(BareClient client) throws Exception;
    }

    /** What was acknowledged is there, once. */
    default void requireStored(long messages) throws Exception {
        long stored = stored();
        if (stored != messages) {
            throw new IllegalStateException(what() + " has " + stored + " messages, not " + messages);
        }
    }

    /** What a round does. */
    interface Reaching {
        double to(Destination destination) throws Exception;
    }
}
