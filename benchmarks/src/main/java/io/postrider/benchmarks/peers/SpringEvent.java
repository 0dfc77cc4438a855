package io.postrider.benchmarks.peers;

/**
 * What the peers on Spring carry. The number makes each one distinct, because one of them finds publications again by
 * what they say.
 */
record SpringEvent(long number, String payload) {}
