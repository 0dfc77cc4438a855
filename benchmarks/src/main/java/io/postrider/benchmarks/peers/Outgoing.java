package io.postrider.benchmarks.peers;

/** An event to be appended. */
public record Outgoing(String key, String payload) {}
