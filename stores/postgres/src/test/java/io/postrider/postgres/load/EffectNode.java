package io.postrider.postgres.load;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.EventContext;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.SubscriptionBuilder;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.observe.Observation;
import io.postrider.observe.Observer;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Queue;
import io.postrider.policy.RetryPolicy;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

/**
 * A node whose handler counts in the same database, in a process of its own that ends itself now and then: between the
 * effect and its commit, and between the commit and the settle.
 */
final class EffectNode {
    static final String SUBSCRIPTION = "effects";
    /** The property that says which {@link Form} it has. */
    static final String FORM = "form";

    static final Duration LEASE = Duration.ofMillis(700);
    private static final Duration HANDLER_TIMEOUT = Duration.ofSeconds(5);
    /** The property that says out of how many events one ends the process before its commit, and one after it. */
    static final String HALTS = "halts";

    /** What commits with an effect. */
    enum Form {
        RECORD,
        SETTLEMENT,
        /** In a queue, where a record is the only one. */
        RECORD_OF_A_TASK
    }

    private EffectNode() {}

    public static void main(String[] arguments) throws Exception {
        try (HikariDataSource pool = Database.inherited().pool(16);
                Postrider<Connection> postrider = Postrider.on(PostgresStore.of(pool), config(pool))) {
            SubscriptionBuilder<Connection> effects = postrider
                    .subscribe(SUBSCRIPTION)
                    .onTransaction(NumberedEvent.TYPE, NumberedEvent.Content.class, EffectNode::count)
                    .retry(RetryPolicy.DEFAULT.attempts(1_000).pauses(Duration.ofMillis(10), Duration.ofMillis(100)));
            switch (Form.valueOf(System.getProperty(FORM))) {
                case RECORD -> effects.start();
                case SETTLEMENT -> effects.settleWithEffect().start();
                case RECORD_OF_A_TASK ->
                    effects.queue(Queue.DEFAULT.lease(LEASE).timeout(HANDLER_TIMEOUT))
                            .start();
            }
            DeliveryNode.waitForEndOfInput();
        }
    }

    private static void count(Connection transaction, NumberedEvent.Content content, EventContext context)
            throws SQLException {
        try (var effect = transaction.prepareStatement("INSERT INTO effect (event) VALUES (?)");
                var counter = transaction.prepareStatement("UPDATE counter SET count = count + 1 WHERE key = ?")) {
            effect.setObject(1, context.id().value());
            effect.executeUpdate();
            counter.setString(1, context.key().orElseThrow());
            counter.executeUpdate();
        }
        haltSometimes();
    }

    private static PostriderConfig config(DataSource dataSource) {
        NodeLimits limits = NodeLimits.builder()
                .lease(LEASE)
                .subscriptions(s -> s.concurrency(4).handlerTimeout(HANDLER_TIMEOUT))
                .build();
        return PostriderConfig.defaults().limits(limits).observer(new Halting(dataSource));
    }

    private static void haltSometimes() {
        if (ThreadLocalRandom.current().nextInt(Integer.getInteger(HALTS)) == 0) {
            Runtime.getRuntime().halt(137);
        }
    }

    /** Ends the process when a handler has answered: its effect is committed, unless the settlement commits with it. */
    private record Halting(DataSource dataSource) implements Observer {
        @Override
        public Dispatching dispatching(List<Destination.Dispatch> dispatches) {
            return new Dispatching() {
                @Override
                public void answered(List<Outcome> outcomes) {
                    haltSometimes();
                }
            };
        }

        @Override
        public void observe(Observation observation) {
            if (observation instanceof Observation.Repeated repeated) {
                remember(repeated.event().id().value());
            }
        }

        private void remember(UUID event) {
            try (Connection connection = dataSource.getConnection();
                    var insert = connection.prepareStatement("INSERT INTO repeated (event) VALUES (?)")) {
                insert.setObject(1, event);
                insert.executeUpdate();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
