package io.postrider.operate;

import io.postrider.policy.SubscriptionLimits;

/**
 * Where every event of a subscription is: {@code appended = counts.total() + pending}.
 *
 * @param pending events that the lanes have not settled past yet, of every type: those that the filter will skip are
 *     among them until then, for up to a tenth of {@link SubscriptionLimits#settleQuietEvery} where a lane only skips
 */
public record Ledger(Counts counts, long pending) {
    public long appended() {
        return counts.total() + pending;
    }
}
