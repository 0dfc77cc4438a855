package io.postrider.chaos;

import java.util.List;
import java.util.stream.Stream;

/** All scenarios, in the order in which they run. */
final class Scenarios {
    static final List<Scenario> ALL = List.of(
            new PostgresRestart(),
            new PostgresCrash(),
            new BackendCrash(),
            new SessionsTerminated(),
            new ConnectionsExhausted(),
            new TransactionHeld(),
            new SlowNetwork(),
            new ConnectionsCut(),
            new HalfOpen(),
            new NodeCutOff(),
            new NodeKilled(),
            new NodesKilledInTurn(),
            new NodeFrozen(),
            new RollingRestart(),
            new Deploy(),
            new Failover(),
            new ManySegments(),
            new Transactions());

    /** The ones that `./test` runs too: one of each kind. */
    static final List<Scenario> QUICK =
            List.of(new PostgresCrash(), new HalfOpen(), new NodeKilled(), new NodeFrozen());

    /** Those with a broker, see {@link ChaosOptions#brokerScenarios}. */
    static final List<String> WITH_A_BROKER = List.of("relay", "went-back", "outage");

    private Scenarios() {}

    static List<String> names() {
        return Stream.concat(ALL.stream().map(Scenario::name), WITH_A_BROKER.stream())
                .toList();
    }

    /** Those with these names; all if there is none. */
    static List<Scenario> named(List<String> names) {
        return ALL.stream()
                .filter(scenario -> names.isEmpty() || names.contains(scenario.name()))
                .toList();
    }
}
