package io.postrider;

/** Where every event of a subscription is: {@code appended = counts.total() + pending}. */
public record Ledger(Counts counts, long pending) {
    public long appended() {
        return counts.total() + pending;
    }
}
