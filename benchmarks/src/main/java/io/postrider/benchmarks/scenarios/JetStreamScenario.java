package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.brokers.BrokerContender;
import io.postrider.benchmarks.brokers.LocalBroker;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Target;

/** How fast a backlog gets from PostgreSQL into a stream of NATS JetStream. */
final class JetStreamScenario implements Scenario {
    private static final Beside BESIDE = new Beside(
            "jetstream",
            "Drain of a backlog to JetStream, 1 KB events",
            "events/s",
            BrokerContender.JETSTREAM_DRAIN,
            BrokerContender.JETSTREAM_PUBLISH,
            BrokerContender.JETSTREAM_FORWARD,
            Target.atLeast(0.8));

    @Override
    public String name() {
        return BESIDE.scenario();
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        Scale.Brokers sizes = scale.brokers();
        try (LocalBroker broker = LocalBroker.nats()) {
            return BESIDE.run(database, broker.address(), sizes.events(), sizes.rounds());
        }
    }
}
