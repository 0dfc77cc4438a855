package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.Postrider;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The size of a pool is told to those whose deliveries it makes late, and to nobody else. */
class PoolSizeTest {
    private static final String TOO_SMALL = "The pool has at most 2 connections";
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final TestDatabase database = TestDatabase.prepared();
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream told = new ByteArrayOutputStream();
    private final HikariDataSource pool = pool();
    private final PostgresStore store = PostgresStore.of(pool, database.config());

    @BeforeEach
    void listen() {
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void close() {
        System.setErr(before);
        pool.close();
        database.close();
    }

    @Test
    void a_node_that_starts_a_subscription_is_warned_once() {
        try (Postrider<Connection> node = Postrider.on(store)) {
            node.subscribe("letters").on("letter", (payload, context) -> {}).start();
            Eventually.holds(LEASE, () -> assertThat(told()).containsOnlyOnce(TOO_SMALL));
        }
    }

    @Test
    void a_node_that_only_appends_is_not_warned() throws Exception {
        try (Postrider<Connection> node = Postrider.on(store)) {
            append(node);
        }
        assertThat(told()).doesNotContain(TOO_SMALL);
    }

    @Test
    void a_renewal_without_subscriptions_warns_of_nothing() {
        store.renew().renew("node", LEASE, Set.of());
        assertThat(told()).doesNotContain(TOO_SMALL);
        store.renew().renew("node", LEASE, Set.of("letters"));
        assertThat(told()).containsOnlyOnce(TOO_SMALL);
    }

    @Test
    void an_append_that_waits_for_a_connection_is_not_told_as_a_delivery() throws Exception {
        try (Postrider<Connection> node = Postrider.on(store)) {
            Connection one = pool.getConnection();
            Connection other = pool.getConnection();
            Thread late = new Thread(() -> {
                try (one;
                        other) {
                    TimeUnit.MILLISECONDS.sleep(1_500);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            late.start();
            append(node);
            late.join();
        }
        assertThat(told()).contains("for a connection").doesNotContain("deliveries", "Give the pool 5");
    }

    private static void append(Postrider<Connection> node) throws Exception {
        node.transaction(connection -> node.outbox().append(connection, Event.of("letter", 1)));
    }

    private String told() {
        return told.toString(StandardCharsets.UTF_8);
    }

    private HikariDataSource pool() {
        HikariDataSource all = (HikariDataSource) database.dataSource();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(all.getJdbcUrl());
        config.setUsername(all.getUsername());
        config.setPassword(all.getPassword());
        config.setMaximumPoolSize(2);
        return new HikariDataSource(config);
    }
}
