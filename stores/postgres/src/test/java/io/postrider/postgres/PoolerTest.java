package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.EventContext;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.RetryPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Behind a transaction pooler no two transactions need share a session; everything works, from the migration on. */
class PoolerTest {
    private static final int KEYS = 20;
    private static final int KEY_EVENTS = 10;
    private static final String TYPE = "numbered";

    @TempDir
    Path folder;

    private final TestDatabase database = new TestDatabase();
    private final Map<String, List<Integer>> delivered = new ConcurrentHashMap<>();
    private Pooler pooler;
    private HikariDataSource pool;

    /** The payload: the event's number within its key. */
    record Content(int number) {}

    @BeforeEach
    void startPooler() throws IOException {
        pooler = Pooler.start(TestDatabase.server(), folder);
        pool = pooler.pool();
    }

    @AfterEach
    void stopPooler() {
        pool.close();
        pooler.close();
        database.close();
    }

    @Test
    void a_log_is_created_appended_to_and_delivered_in_order_although_handlers_fail() throws Exception {
        Set<String> failed = ConcurrentHashMap.newKeySet();
        try (Postrider<Connection> node = node(pool)) {
            subscribe(node, (content, context) -> {
                String key = context.key().orElseThrow();
                if (content.number() % 3 == 0 && failed.add(key + content.number())) {
                    throw new IOException("fails the first time");
                }
                note(content, context);
            });
            append(node, 0, KEY_EVENTS);
            awaitDelivered(KEY_EVENTS);
        }
        assertThat(failed).as("events that failed once").hasSize(KEYS * 4);
    }

    @Test
    void a_node_that_is_cut_off_is_taken_over() throws Exception {
        HikariDataSource cut = pooler.pool();
        try (Postrider<Connection> survivor = node(pool)) {
            try (Postrider<Connection> victim = node(cut)) {
                subscribe(victim, this::note);
                append(survivor, 0, KEY_EVENTS / 2);
                awaitDelivered(KEY_EVENTS / 2);
                awaitSettled(survivor, KEY_EVENTS / 2); // what was delivered and not settled may come a second time
                cut.close();
                subscribe(survivor, this::note);
                append(survivor, KEY_EVENTS / 2, KEY_EVENTS);
                awaitDelivered(KEY_EVENTS);
            }
        }
    }

    private static void awaitSettled(Postrider<Connection> node, int count) throws SQLException {
        Eventually.holds(
                Duration.ofSeconds(60),
                () -> assertThat(node.operator()
                                .browse()
                                .ledger("pooled")
                                .counts()
                                .delivered())
                        .isEqualTo((long) KEYS * count));
    }

    private Postrider<Connection> node(HikariDataSource dataSource) {
        NodeLimits limits = NodeLimits.builder().lease(Duration.ofSeconds(1)).build();
        return Postrider.on(
                PostgresStore.of(dataSource, database.config()),
                PostriderConfig.defaults().limits(limits));
    }

    private static void subscribe(Postrider<Connection> node, io.postrider.Handler<Content> handler) {
        node.subscribe("pooled")
                .on(TYPE, Content.class, handler)
                .retry(RetryPolicy.DEFAULT.pauses(Duration.ofMillis(20), Duration.ofMillis(100)))
                .start();
    }

    private void note(Content content, EventContext context) {
        delivered
                .computeIfAbsent(context.key().orElseThrow(), key -> Collections.synchronizedList(new ArrayList<>()))
                .add(content.number());
    }

    /** The numbers of every key, a transaction for each number. */
    private static void append(Postrider<Connection> node, int from, int to) throws Exception {
        for (int number = from; number < to; number++) {
            Content content = new Content(number);
            List<Event> events = IntStream.range(0, KEYS)
                    .mapToObj(key -> Event.of(TYPE, content).key("key-" + key))
                    .toList();
            node.transaction(connection -> node.outbox().append(connection, events));
        }
    }

    /** Until each key has its numbers up to this one, each once and in order. */
    private void awaitDelivered(int count) throws SQLException {
        List<Integer> expected = IntStream.range(0, count).boxed().toList();
        Eventually.holds(Duration.ofSeconds(60), () -> {
            assertThat(delivered).hasSize(KEYS);
            assertThat(delivered.values())
                    .allSatisfy(numbers -> assertThat(List.copyOf(numbers)).isEqualTo(expected));
        });
    }
}
