package io.postrider.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** How fast a backlog of 1 KB events gets to a handler that does nothing. */
final class DrainScenario implements Scenario {
    private static final Target BY_PEER = Target.atLeast(20);
    private static final Target BY_SELECT = Target.atLeast(0.5);
    private static final String UNIT = "events/s";

    @Override
    public String name() {
        return "drain";
    }

    @Override
    public List<Result> run(Database database, Scale scale) throws Exception {
        try (PostriderDrain ours = new PostriderDrain(database, scale.drainEvents());
                BareSelect select = new BareSelect(database, scale.drainEvents());
                DbSchedulerDrain scheduler = new DbSchedulerDrain(database, scale.peerDrainEvents());
                GruelboxDrain gruelbox = new GruelboxDrain(database, scale.peerDrainEvents())) {
            Rounds rounds = Rounds.run(List.of(ours, select, scheduler, gruelbox), 1, scale.drainRounds());
            Contender peer = rounds.better(scheduler, gruelbox);
            List<Result> results = new ArrayList<>(rounds.told("drain: ", UNIT));
            results.add(rounds.compared("drain: postrider by the better peer", ours, peer, UNIT, BY_PEER));
            results.add(rounds.compared("drain: postrider by the bare SELECT", ours, select, UNIT, BY_SELECT));
            return results;
        }
    }
}
