package io.postrider.benchmarks.brokers;

import java.util.Map;

/** A broker's own client library, with nothing of ours around it. One thread sends. */
interface BareClient extends AutoCloseable {

    /** Sends without waiting for the answer, as long as there is room. */
    void send(String key, Map<String, String> headers, byte[] body);

    /** Returns when all are acknowledged. */
    void await() throws InterruptedException;

    /**
     * One that can be opened.
     *
     * @param name with its version, and what is called
     * @param how the settings that others would need to repeat it
     */
    record Kind(String name, String how, Opening opening) {}

    /** Connects to the broker. */
    interface Opening {
        BareClient open() throws Exception;
    }
}
