package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Transact;
import io.postrider.policy.Schedule;
import io.postrider.store.Append;
import io.postrider.store.RefusedEventException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many received messages are copied, and stand in the log as if they had been inserted. */
class CopiedEventsTest {
    private static final int MANY = 3 * PostgresCopy.WORTH;
    private static final String COLUMNS =
            "id, type, key, payload::text, headers::text, tenant, lane, bytes, deliver_at, expires_at, priority";

    private final TestDatabase database = new TestDatabase();
    private final AtomicInteger calls = new AtomicInteger();
    private final PostgresStore store = PostgresStore.of(counting(database.dataSource(), true), database.config());

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void copied_events_equal_inserted_ones_in_everything_that_the_caller_gives() throws Exception {
        List<Append.Entry> entries = varied();
        received(store, entries);
        assertThat(calls.getAndSet(0)).as("calls of a function").isZero();
        store.transact().transact(transaction -> {
            store.append().append(transaction, entries);
            return true;
        });
        assertThat(calls.getAndSet(0)).isPositive();
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(2L * MANY);
        assertThat(database.number("SELECT count(*) FROM (SELECT DISTINCT " + COLUMNS + " FROM {event_log}) d"))
                .isEqualTo(MANY);
    }

    @Test
    void the_server_assigns_what_only_it_may_and_the_order_stays() throws Exception {
        List<Append.Entry> entries = varied();
        received(store, entries);
        assertThat(database.texts("SELECT id::text FROM {event_log} ORDER BY position"))
                .isEqualTo(entries.stream()
                        .map(each -> each.id().value().toString())
                        .toList());
        assertThat(database.number("SELECT count(DISTINCT xid) FROM {event_log} WHERE xid < pg_current_xact_id()"))
                .isOne();
        assertThat(database.number("SELECT count(*) FROM {event_log} WHERE appended_at <= now()"))
                .isEqualTo(MANY);
    }

    @Test
    void a_few_or_scheduled_ones_are_inserted() throws Exception {
        received(store, varied().subList(0, PostgresCopy.WORTH));
        assertThat(calls.getAndSet(0)).isPositive();
        List<Append.Entry> scheduled = new ArrayList<>(varied());
        Append.Entry one = scheduled.get(0);
        Schedule later = Schedule.NONE.deliverAt(Instant.now().plusSeconds(60));
        scheduled.set(
                0, new Append.Entry(one.id(), "later", one.key(), one.payload(), one.headers(), one.tenant(), later));
        received(store, scheduled);
        assertThat(calls.getAndSet(0)).isPositive();
        assertThat(database.number("SELECT count(*) FROM {event_log} WHERE deliver_at IS NOT NULL"))
                .isOne();
    }

    @Test
    void one_that_the_log_refuses_undoes_all_and_leaves_the_connection_good() throws Exception {
        List<Append.Entry> entries = new ArrayList<>(varied());
        entries.set(MANY / 2, new Append.Entry(drawId(), "t", "k", "no JSON", Headers.NONE, null));
        assertThatThrownBy(() -> received(store, entries))
                .isInstanceOf(RefusedEventException.class)
                .hasMessageNotContaining("no JSON");
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isZero();
        assertThat(database.number("SELECT count(*) FROM {received}")).isZero();
        received(store, varied());
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(MANY);
    }

    @Test
    void where_the_driver_is_out_of_reach_they_are_inserted() throws Exception {
        PostgresStore hidden = PostgresStore.of(counting(database.dataSource(), false), database.config());
        calls.getAndSet(0);
        received(hidden, varied());
        assertThat(calls.getAndSet(0)).isPositive();
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(MANY);
    }

    @Test
    void of_a_role_without_the_right_to_insert_they_are_appended_by_the_function() throws Exception {
        try (TestDatabase owned = new TestDatabase();
                Roles roles = new Roles(owned)) {
            roles.grant("grant_append", roles.appender());
            roles.execute(roles.owner(), "GRANT SELECT, INSERT ON {received} TO " + roles.appender());
            DataSource connections = counting(roles.as(roles.appender()), true);
            PostgresStore appending =
                    PostgresStore.of(connections, owned.config().migrate(Migrate.NEVER));
            calls.getAndSet(0);
            received(appending, varied());
            assertThat(calls.getAndSet(0)).isPositive();
            assertThat(owned.number("SELECT count(*) FROM {event_log}")).isEqualTo(MANY);
        }
    }

    @Test
    void the_lane_is_that_of_a_log_with_another_number_of_lanes() throws Exception {
        try (TestDatabase narrow = new TestDatabase()) {
            PostgresStore four = PostgresStore.of(
                    counting(narrow.dataSource(), true), narrow.config().lanes(4));
            calls.getAndSet(0);
            received(four, varied());
            assertThat(calls.getAndSet(0)).isZero();
            assertThat(narrow.number("SELECT count(*) FROM {event_log} WHERE lane = {lane_of}(key, id)"))
                    .isEqualTo(MANY);
            assertThat(narrow.number("SELECT max(lane) FROM {event_log}")).isLessThan(4);
        }
    }

    // ---- entries ----------------------------------------------------------------------------------------------------

    /** With and without key, tenant and headers, and with texts of one to four bytes a character. */
    private static List<Append.Entry> varied() {
        return IntStream.range(0, MANY)
                .mapToObj(n -> new Append.Entry(
                        drawId(),
                        "type." + n % 7,
                        n % 3 == 0 ? null : "key-ä-" + n,
                        "{\"n\": " + n + ", \"text\": \"ß€😀\\n\\u0041\"}",
                        n % 2 == 0 ? Headers.NONE : new Headers(Map.of("header", "wert-ü-" + n)),
                        n % 5 == 0 ? "tenant-" + n : null))
                .toList();
    }

    private static EventId drawId() {
        return new EventId(UUID.randomUUID());
    }

    private static void received(PostgresStore store, List<Append.Entry> entries) throws Exception {
        Transact.Work<Connection, Integer> work = transaction ->
                store.receive().receive(transaction, "source", entries).size();
        assertThat(store.transact().transact(work)).isEqualTo(entries.size());
    }

    /** Connections that count calls of the log's functions, and give the driver's away if they may. */
    private DataSource counting(DataSource real, boolean giving) {
        return (DataSource) proxy(DataSource.class, real, giving);
    }

    private Object proxy(Class<?> type, Object real, boolean giving) {
        return Proxy.newProxyInstance(
                CopiedEventsTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("isWrapperFor") && !giving) {
                        return false;
                    }
                    if (method.getName().equals("prepareStatement")
                            && arguments[0].toString().contains("append_event")) {
                        calls.incrementAndGet();
                    }
                    try {
                        Object result = method.invoke(real, arguments);
                        return method.getName().equals("getConnection")
                                ? proxy(Connection.class, result, giving)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
