package io.postrider.benchmarks.scenarios;

import java.util.List;

/** All of them, in the order of the report. */
public final class Scenarios {
    public static final List<Scenario> ALL = List.of(
            new DrainScenario(),
            new CommitScenario(),
            new PacedScenario(),
            new HeldScenario(),
            new ZipfScenario(),
            new SlowScenario(),
            new RecoveryScenario(),
            new HistoryScenario(),
            new SubscriptionsScenario(),
            new BrowseScenario(),
            new JetStreamScenario(),
            new KafkaScenario(),
            new InboxScenario());

    private Scenarios() {}
}
