package io.postrider.benchmarks.brokers;

import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;

/** Who is compared around a broker, by the names their processes are started with. */
public enum BrokerContender {
    JETSTREAM_DRAIN {
        @Override
        public Contender open(Database database, int events, String server) throws Exception {
            return DestinationDrain.fill(database, events, new JetStreamPlace(server));
        }
    },
    JETSTREAM_PUBLISH {
        @Override
        public Contender open(Database database, int events, String server) {
            return new FromMemory(new JetStreamPlace(server), events);
        }
    },
    JETSTREAM_FORWARD {
        @Override
        public Contender open(Database database, int events, String server) {
            return new Forward(database, new JetStreamPlace(server), events);
        }
    },
    KAFKA_DRAIN {
        @Override
        public Contender open(Database database, int events, String server) throws Exception {
            return DestinationDrain.fill(database, events, new KafkaPlace(server));
        }
    },
    KAFKA_SEND {
        @Override
        public Contender open(Database database, int events, String server) {
            return new FromMemory(new KafkaPlace(server), events);
        }
    },
    KAFKA_FORWARD {
        @Override
        public Contender open(Database database, int events, String server) {
            return new Forward(database, new KafkaPlace(server), events);
        }
    },
    INBOX_RECEIVE {
        @Override
        public Contender open(Database database, int events, String server) {
            return new InboxReceive(database, new JetStreamPlace(server), events);
        }
    },
    PULL_CONSUME {
        @Override
        public Contender open(Database database, int events, String server) {
            return new PullConsume(new JetStreamPlace(server), events);
        }
    },
    PULL_INSERT {
        @Override
        public Contender open(Database database, int events, String server) {
            return new PullInsert(database, new JetStreamPlace(server), events);
        }
    };

    /** Prepared for its first round. */
    public abstract Contender open(Database database, int events, String server) throws Exception;
}
