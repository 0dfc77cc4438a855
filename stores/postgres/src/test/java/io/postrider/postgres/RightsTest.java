package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.StoredEvent;
import io.postrider.operate.Why;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.RetryPolicy;
import io.postrider.policy.Start;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Four roles: the owner of the schema, one that runs nodes, one that appends, one that reads. Each can do its part. */
class RightsTest {
    private static final String NO_RIGHT = "42501";

    private final TestDatabase database = new TestDatabase();
    private final Roles roles = new Roles(database);
    private final String owner = roles.owner();
    private final String engine = roles.engine();
    private final String appender = roles.appender();
    private final String reader = roles.reader();
    private final Queue<StoredEvent> delivered = new ConcurrentLinkedQueue<>();

    @AfterEach
    void drop() {
        roles.close();
        database.close();
    }

    @Test
    void a_role_that_may_append_does_so_from_java_by_the_function_and_by_the_view() throws Exception {
        roles.grant("grant_append", appender);
        database.execute("SELECT {grant_engine}('" + engine + "')");
        try (Postrider<Connection> node = node()) {
            start(node);
            try (Postrider<Connection> application = Postrider.on(
                    PostgresStore.of(roles.as(appender), database.config().migrate(Migrate.NEVER)))) {
                application.transaction(connection -> {
                    application
                            .outbox()
                            .append(connection, Event.of("rights.one", 1).key("k"));
                    application
                            .outbox()
                            .append(
                                    connection,
                                    List.of(Event.of("rights.two", 2).priority(3), Event.of("rights.three", 3)));
                    return true;
                });
            }
            roles.execute(appender, "SELECT {append}('rights.function', '{}', headers => '{\"a\": \"b\"}')");
            roles.execute(appender, "INSERT INTO {outbox} (type, payload) VALUES ('rights.view', '{}')");
            Eventually.holds(
                    Duration.ofSeconds(60),
                    () -> assertThat(delivered)
                            .extracting(StoredEvent::type)
                            .containsExactlyInAnyOrder(
                                    "rights.one", "rights.two", "rights.three", "rights.function", "rights.view"));
        }
    }

    @Test
    void a_role_that_may_append_can_do_nothing_else() throws SQLException {
        roles.grant("grant_append", appender);
        for (String column : List.of("position", "xid", "lane", "bytes", "appended_at")) {
            assertNoRight("INSERT INTO {outbox} (type, payload, " + column + ") VALUES ('a', '{}', NULL)");
        }
        assertNoRight("INSERT INTO {event_log} (id, type, payload, headers, lane, bytes)"
                + " VALUES (gen_random_uuid(), 'a', '{}', '{}', 0, 2)");
        assertNoRight("INSERT INTO {event_log_1} (id, type, payload, headers, lane, bytes, position)"
                + " VALUES (gen_random_uuid(), 'a', '{}', '{}', 0, 2, 9000000000000000000)");
        assertNoRight("SELECT nextval('{event_position}')");
        assertNoRight("SELECT * FROM {outbox}");
        assertNoRight("SELECT * FROM {event_standing}");
        assertNoRight("DELETE FROM {outbox}");
        assertNoRight("SELECT {grant_append}('" + appender + "')");
        assertNoRight("SELECT {grant_engine}('" + appender + "')");
        assertNoRight("CREATE TABLE {mine} ()");
    }

    @Test
    void the_use_of_the_schema_alone_is_no_right_to_append() throws SQLException {
        database.execute("GRANT USAGE ON SCHEMA " + database.schema() + " TO " + appender);
        assertNoRight("SELECT {append}('a', '{}')");
        assertNoRight("SELECT {append_event}(NULL, 'a', NULL, '{}', '{}', NULL)");
        assertNoRight("INSERT INTO {outbox} (type, payload) VALUES ('a', '{}')");
    }

    @Test
    void a_role_that_may_read_reads_every_view_and_table() throws Exception {
        roles.grant("grant_read", reader);
        database.execute("SELECT {grant_engine}('" + engine + "')");
        try (Postrider<Connection> node = node()) {
            start(node);
            List<Event> events = List.of(Event.of("rights.bad", 1), Event.of("rights.good", 2));
            node.transaction(connection -> node.outbox().append(connection, events));
            Eventually.holds(Duration.ofSeconds(60), () -> assertThat(delivered).hasSize(1));
            engineStore().prune().prune(Duration.ofDays(1)); // makes segments, after the right was granted
        }
        List<String> relations = database.texts("""
                SELECT relname FROM pg_class
                WHERE relnamespace = '%s'::regnamespace AND relkind IN ('r', 'p', 'v') AND NOT relispartition
                """.formatted(database.schema()));
        assertThat(relations).contains("event_standing", "event_outbox", "outbox_events", "event_handling", "outbox");
        for (String relation : relations) {
            roles.execute(reader, "SELECT count(*), max(r::text) FROM {" + relation + "} r");
        }
        PostgresStore reading =
                PostgresStore.of(roles.as(reader), database.config().migrate(Migrate.NEVER));
        StoredEvent event = delivered.element();
        assertThat(reading.browse().progress("rights").oldestPending()).isNull();
        assertThat(reading.browse().ledger("rights").counts().delivered()).isEqualTo(1);
        assertThat(reading.search().why("rights", event.id())).isInstanceOf(Why.Delivered.class);
        assertThat(reading.search().story(event.id())).isPresent();
    }

    @Test
    void a_role_that_may_read_goes_on_when_settlements_become_of_the_past() throws Exception {
        roles.grant("grant_read", reader);
        database.execute("SELECT {grant_engine}('" + engine + "')");
        PostgresStore store = PostgresStore.of(roles.as(engine), database.config());
        store.subscriptions().register("rights", Start.beginning(), "");
        roles.execute(owner, "SELECT {append}('rights.one', '{}')");
        settleAndRotate(store, 1, "0");
        settleAndRotate(store, 2, "1"); // in a segment that was made after the right was granted
        settleAndRotate(store, 3, "1");
        assertThat(database.number("SELECT count(*) FROM {segment} WHERE detached"))
                .isGreaterThanOrEqualTo(2);
        for (String view :
                database.texts("SELECT viewname FROM pg_views WHERE schemaname = '" + database.schema() + "'")) {
            roles.execute(reader, "SELECT count(*), max(r::text) FROM {" + view + "} r");
        }
        roles.execute(reader, "SELECT 1 / count(*) FROM {event_delivered} WHERE settled_at IS NOT NULL");
    }

    /** So many settlements of each lane that their segment is full, and a prune that goes on to the next. */
    private void settleAndRotate(PostgresStore store, int round, String reached) throws SQLException {
        database.execute("""
                INSERT INTO {settlement} (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                    delivered, skipped, parked, dead, expired, discarded)
                SELECT subscription, lane, epoch, %1$d * 10 + n, %2$s, '1:1:', '1', %2$s, 0, 0, 0, 0, 0, 0
                FROM {lane}, generate_series(0, 9) AS n
                """.formatted(round, reached));
        long before = database.number("SELECT last_value FROM {settlement_position}");
        Eventually.holds(Duration.ofSeconds(60), () -> {
            store.prune().prune(Duration.ofDays(1));
            assertThat(database.number("SELECT last_value FROM {settlement_position}"))
                    .isGreaterThan(before);
        });
        store.prune().prune(Duration.ofDays(1));
    }

    @Test
    void a_role_that_may_read_can_do_nothing_else() throws SQLException {
        roles.grant("grant_read", reader);
        for (String sql : List.of(
                "SELECT {append}('a', '{}')",
                "SELECT {append_event}(NULL, 'a', NULL, '{}', '{}', NULL)",
                "INSERT INTO {outbox} (type, payload) VALUES ('a', '{}')",
                "UPDATE {delivery} SET error = NULL",
                "DELETE FROM {event_log}",
                "SELECT nextval('{event_position}')",
                "SELECT {change_filter}('a', 'b', 'c')",
                "SELECT {grant_read}('" + reader + "')",
                "CREATE TABLE {mine} ()")) {
            assertNoRight(reader, sql);
        }
    }

    @Test
    void a_role_that_runs_nodes_subscribes_delivers_retries_buries_and_prunes() throws Exception {
        database.execute("SELECT {grant_engine}('" + engine + "')");
        try (Postrider<Connection> node = node()) {
            start(node);
            for (int i = 0; i < 350; i++) {
                int number = i;
                node.transaction(c ->
                        node.outbox().append(c, Event.of(number == 7 ? "rights.bad" : "rights.good", number)));
            }
            Eventually.holds(Duration.ofSeconds(60), () -> assertThat(delivered).hasSize(349));
            Eventually.holds(
                    Duration.ofSeconds(60),
                    () -> assertThat(database.number("SELECT count(*) FROM {delivery} WHERE status = 'dead'"))
                            .isEqualTo(1));
            Eventually.holds(Duration.ofSeconds(60), () -> {
                engineStore().prune().prune(Duration.ZERO);
                assertThat(database.number("SELECT count(*) FROM {event_log} WHERE position <= 100"))
                        .isZero();
            });
        }
        assertThat(database.number("""
                SELECT count(*) FROM pg_class WHERE relnamespace = '%s'::regnamespace AND relowner <> '%s'::regrole
                """.formatted(database.schema(), owner)))
                .as("tables and indexes that do not belong to the owner")
                .isZero();
    }

    @Test
    void a_role_that_appends_goes_on_in_segments_that_a_node_has_made() throws Exception {
        roles.grant("grant_append", appender);
        database.execute("SELECT {grant_engine}('" + engine + "')");
        PostgresStore store = PostgresStore.of(roles.as(engine), database.config());
        try (Connection connection = roles.as(appender).getConnection()) {
            for (int i = 0; i < 12; i++) {
                try (var statement = connection.createStatement()) {
                    statement.execute("SELECT count(" + database.schema()
                            + ".append('rights.many', '{}')) FROM generate_series(1, 100)");
                }
                store.prune().prune(Duration.ofDays(1));
            }
        }
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(1_200);
        assertThat(database.number("SELECT count(*) FROM {event_log_rest}")).isZero();
    }

    @Test
    void what_a_member_of_the_owner_or_a_superuser_migrates_belongs_to_the_owner() throws SQLException {
        database.execute("DROP SCHEMA " + database.schema() + " CASCADE");
        database.execute("CREATE SCHEMA " + database.schema() + " AUTHORIZATION " + owner);
        database.execute("GRANT " + owner + " TO " + engine);
        PostgresStore.of(roles.as(engine), database.config());
        assertThat(tablesOfOthers()).isZero();
        database.execute("DROP SCHEMA " + database.schema() + " CASCADE");
        database.execute("CREATE SCHEMA " + database.schema() + " AUTHORIZATION " + owner);
        database.store();
        assertThat(tablesOfOthers()).isZero();
        database.execute("SELECT {grant_engine}('" + engine + "')");
    }

    private long tablesOfOthers() throws SQLException {
        return database.number("SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'S')"
                + " AND relnamespace = '" + database.schema() + "'::regnamespace AND pg_get_userbyid(relowner) <> '"
                + owner + "'");
    }

    @Test
    void a_schema_of_a_superuser_makes_nobody_a_superuser() throws SQLException {
        try (TestDatabase other = new TestDatabase()) {
            other.store();
            assertThatThrownBy(() -> other.execute("SELECT {grant_engine}('" + engine + "')"))
                    .hasMessageContaining("a superuser, and a role that runs nodes would become one")
                    .satisfies(failure -> assertThat(failure.getMessage())
                            .as("a hint to do what was refused")
                            .doesNotContain("GRANT "));
        }
    }

    private Postrider<Connection> node() {
        // Prune waits for every lane, and some are quiet.
        NodeLimits limits = NodeLimits.builder()
                .subscriptions(s -> s.rereadEvery(Duration.ofMillis(100)).settleQuietEvery(Duration.ofMillis(100)))
                .build();
        return Postrider.on(engineStore(), PostriderConfig.defaults().limits(limits));
    }

    private PostgresStore engineStore() {
        return PostgresStore.of(roles.pool(engine), database.config().migrate(Migrate.NEVER));
    }

    private void start(Postrider<Connection> node) {
        node.subscribe("rights")
                .on("rights.bad", (payload, context) -> {
                    throw new IllegalStateException("bad");
                })
                .on("**", (payload, context) -> delivered.add(context.event()))
                .retry(RetryPolicy.DEFAULT
                        .pauses(Duration.ofMillis(1), Duration.ofMillis(1))
                        .attempts(2))
                .start();
    }

    private void assertNoRight(String sql) {
        assertNoRight(appender, sql);
    }

    private void assertNoRight(String role, String sql) {
        assertThatThrownBy(() -> roles.execute(role, sql))
                .as(sql)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(NO_RIGHT));
    }
}
