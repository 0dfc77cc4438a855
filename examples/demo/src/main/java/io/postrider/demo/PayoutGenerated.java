package io.postrider.demo;

/** A payout to a team. */
record PayoutGenerated(String payout, String team, long amount) {}
