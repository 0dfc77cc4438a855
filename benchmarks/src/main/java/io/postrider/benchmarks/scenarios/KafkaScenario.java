package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.brokers.BrokerContender;
import io.postrider.benchmarks.brokers.LocalBroker;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Target;

/** How fast a backlog gets from PostgreSQL into a topic of Kafka. */
final class KafkaScenario implements Scenario {
    private static final Beside BESIDE = new Beside(
            "kafka",
            "Drain of a backlog to Kafka, 1 KB events",
            "events/s",
            BrokerContender.KAFKA_DRAIN,
            BrokerContender.KAFKA_SEND,
            BrokerContender.KAFKA_FORWARD,
            Target.atLeast(0.7));

    @Override
    public String name() {
        return BESIDE.scenario();
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        Scale.Brokers sizes = scale.brokers();
        try (LocalBroker broker = LocalBroker.kafka()) {
            return BESIDE.run(database, broker.address(), sizes.events(), sizes.rounds());
        }
    }
}
