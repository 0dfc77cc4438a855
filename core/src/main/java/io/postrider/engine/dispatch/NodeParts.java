package io.postrider.engine.dispatch;

import io.postrider.engine.base.Budget;
import io.postrider.engine.base.LateRenewals;
import io.postrider.engine.base.Lease;
import io.postrider.engine.base.Observers;
import io.postrider.engine.base.Outage;
import io.postrider.engine.base.StoreTime;
import io.postrider.engine.base.Trouble;
import io.postrider.policy.NodeLimits;

/** The parts of a node that all its subscriptions use. */
public record NodeParts(
        String node,
        Budget budget,
        Lease lease,
        StoreTime time,
        Observers observers,
        Circuits circuits,
        LateRenewals late,
        Outage outage,
        Trouble trouble,
        NodeLimits limits) {}
