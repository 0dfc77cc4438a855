package io.postrider.benchmarks.peers;

/** The handler of every carrier. Called by several threads at once. */
@FunctionalInterface
public interface Receiver {
    void receive(String payload);
}
