package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.brokers.BrokerContender;
import io.postrider.benchmarks.brokers.FromMemory;
import io.postrider.benchmarks.brokers.LocalBroker;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Target;

/** How fast the messages of a stream are stored in PostgreSQL and handled, once each. */
final class InboxScenario implements Scenario {
    private static final Beside BESIDE = new Beside(
            "inbox",
            "Messages of a JetStream stream received and handled, 1 KB each",
            "messages/s",
            BrokerContender.INBOX_RECEIVE,
            BrokerContender.PULL_CONSUME,
            BrokerContender.PULL_INSERT,
            Target.atLeast(0.5));

    @Override
    public String name() {
        return BESIDE.scenario();
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        Scale.Brokers sizes = scale.brokers();
        try (LocalBroker broker = LocalBroker.nats()) {
            FromMemory.fill(broker.address(), sizes.messages());
            return BESIDE.run(database, broker.address(), sizes.messages(), sizes.rounds());
        }
    }
}
