package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.SubscriptionBuilder;
import io.postrider.observe.Observation;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Queue;
import io.postrider.policy.RetryPolicy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Handlers that hold connections of the engine's pool make it late; no event is to blame for it. */
class PoolTest {
    private static final int EVENTS = 4;
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final RetryPolicy RETRY = RetryPolicy.DEFAULT.attempts(2);

    private final TestDatabase database = TestDatabase.prepared();
    private final List<Integer> attempts = new CopyOnWriteArrayList<>();
    private final List<Observation> observed = new CopyOnWriteArrayList<>();
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void close() {
        gate.countDown();
        database.close();
    }

    @Test
    void a_renewal_does_not_wait_for_connections_that_others_hold() throws SQLException {
        try (HikariDataSource pool = pool(3, Duration.ofSeconds(20))) {
            PostgresStore store = PostgresStore.of(pool, database.config());
            store.renew().renew("node", LONG, Set.of());
            try (Connection one = pool.getConnection();
                    Connection other = pool.getConnection()) {
                assertThat(one).isNotSameAs(other);
                assertThat(store.renew().renew("node", LONG, Set.of()).kept()).isTrue();
                assertThat(store.renew().extend("node", LONG)).isTrue();
                assertThat(store.tasks().renew("queue", Set.of(), LONG)).isEmpty();
            }
            store.renew().leave("node");
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    @Test
    void a_connection_of_renewals_that_was_broken_is_replaced() throws SQLException {
        try (HikariDataSource pool = pool(3, Duration.ofSeconds(10))) {
            PostgresStore store = PostgresStore.of(pool, database.config());
            store.renew().renew("node", LONG, Set.of());
            database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
            assertThat(store.renew().renew("node", LONG, Set.of()).kept()).isTrue();
            store.renew().leave("node");
        }
    }

    @Test
    void a_connection_that_takes_no_timeout_is_given_back_and_renewals_go_on_without_it() {
        for (String refused : List.of("getNetworkTimeout", "setNetworkTimeout")) {
            try (RefusingPool pool = new RefusingPool(config(3, Duration.ofSeconds(2)), refused)) {
                PostgresStore store = PostgresStore.of(pool, database.config());
                for (int renewals = 0; renewals < 4; renewals++) {
                    store.renew().renew("node", LONG, Set.of());
                }
                assertThat(pool.getHikariPoolMXBean().getActiveConnections())
                        .as(refused)
                        .isZero();
            }
        }
    }

    /** Its connections do not know one method of theirs. */
    private static final class RefusingPool extends HikariDataSource {
        private final String refused;

        RefusingPool(HikariConfig config, String refused) {
            super(config);
            this.refused = refused;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    PoolTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals(refused)) {
                            throw new SQLFeatureNotSupportedException(refused, "0A000");
                        }
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }

    @Test
    void a_pool_of_two_keeps_none_for_renewals() {
        try (HikariDataSource pool = pool(2, Duration.ofSeconds(10))) {
            PostgresStore store = PostgresStore.of(pool, database.config());
            store.renew().renew("node", LONG, Set.of());
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void tasks_whose_handlers_hold_every_connection_are_done_in_their_first_attempt(int size) throws Exception {
        try (HikariDataSource pool = pool(size, Duration.ofMinutes(2))) {
            deliver(pool, node -> holding(node, pool).queue(Queue.DEFAULT.lease(LEASE)));
        }
        assertThat(attempts).containsOnly(1).hasSize(EVENTS);
        assertToldUnlessKept(size);
        assertThat(database.number("SELECT count(*) FROM {attempt} WHERE outcome = 'lost'"))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void events_whose_handlers_hold_every_connection_count_no_attempt(int size) throws Exception {
        try (HikariDataSource pool = pool(size, Duration.ofMinutes(2))) {
            deliver(pool, node -> holding(node, pool));
        }
        assertThat(attempts).containsOnly(1);
        assertToldUnlessKept(size);
    }

    /** A pool of three has a connection for renewals: nothing is late but what waits for the others. */
    private void assertToldUnlessKept(int size) {
        if (size < 3) {
            assertThat(observed).anyMatch(Observation.RenewedLate.class::isInstance);
        }
        assertThat(observed).noneMatch(Observation.Lost.class::isInstance);
    }

    @Test
    void a_pool_that_gives_up_waiting_costs_no_attempt_either() throws Exception {
        try (HikariDataSource pool = pool(2, Duration.ofSeconds(2))) {
            deliver(pool, node -> holding(node, pool));
        }
        assertThat(attempts).contains(1);
        assertThat(database.number("SELECT count(*) FROM {attempt} WHERE error LIKE '%node that ran it%'"))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void handlers_for_whose_transactions_the_pool_has_no_connection_in_time_count_no_attempt(boolean tasks)
            throws Exception {
        try (HikariDataSource pool = pool(3, Duration.ofSeconds(2))) {
            deliver(pool, node -> {
                SubscriptionBuilder<Connection> builder = node.subscribe("work")
                        .retry(RETRY.attempts(1))
                        .onTransaction("letter", (transaction, payload, context) -> {
                            assertThat(gate.await(2, TimeUnit.MINUTES)).isTrue();
                            attempts.add(context.attempt());
                        });
                return tasks ? builder.queue(Queue.DEFAULT.lease(LEASE)) : builder;
            });
        }
        assertThat(attempts).containsOnly(1);
    }

    /** Until all is delivered, with handlers that let go of their connections only after several leases. */
    private void deliver(
            HikariDataSource pool, Function<Postrider<Connection>, SubscriptionBuilder<Connection>> subscription)
            throws Exception {
        NodeLimits limits = NodeLimits.builder()
                .lease(LEASE)
                .subscriptions(s -> s.concurrency(8))
                .build();
        PostriderConfig config = PostriderConfig.defaults().limits(limits).observer(observed::add);
        try (Postrider<Connection> appending = Postrider.on(database.store());
                Postrider<Connection> node = Postrider.on(PostgresStore.of(pool, database.config()), config)) {
            subscription.apply(node).start();
            List<Event> events = IntStream.range(0, EVENTS)
                    .mapToObj(i -> Event.of("letter", i).key("key " + i))
                    .toList();
            appending.transaction(connection -> appending.outbox().append(connection, events));
            Eventually.holds(
                    LONG,
                    () -> assertThat(pool.getHikariPoolMXBean().getThreadsAwaitingConnection())
                            .isPositive());
            long since = database.number("SELECT extract(epoch FROM clock_timestamp())::bigint");
            Eventually.holds(
                    LONG,
                    () -> assertThat(database.number("SELECT extract(epoch FROM clock_timestamp())::bigint"))
                            .isGreaterThan(since + 3 * LEASE.toSeconds()));
            gate.countDown();
            Eventually.holds(
                    LONG,
                    () -> assertThat(appending
                                    .operator()
                                    .browse()
                                    .ledger("work")
                                    .counts()
                                    .delivered())
                            .isEqualTo(EVENTS));
        }
    }

    private SubscriptionBuilder<Connection> holding(Postrider<Connection> node, HikariDataSource pool) {
        return node.subscribe("work").retry(RETRY).on("letter", (payload, context) -> {
            try (Connection held = pool.getConnection()) {
                assertThat(gate.await(2, TimeUnit.MINUTES)).isTrue();
                assertThat(held.isClosed()).isFalse();
            }
            attempts.add(context.attempt());
        });
    }

    private HikariDataSource pool(int size, Duration timeout) {
        return new HikariDataSource(config(size, timeout));
    }

    private HikariConfig config(int size, Duration timeout) {
        HikariDataSource all = (HikariDataSource) database.dataSource();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(all.getJdbcUrl());
        config.setUsername(all.getUsername());
        config.setPassword(all.getPassword());
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(timeout.toMillis());
        return config;
    }
}
