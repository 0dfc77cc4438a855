package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.RetryPolicy;
import io.postrider.StoredEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Three roles: the owner of the schema, one that runs nodes, one that appends. Each can do what it is for. */
class RightsTest {
    private static final String PASSWORD = "secret";
    private static final String NO_RIGHT = "42501";

    private final TestDatabase database = new TestDatabase();
    private final String owner = "owner_" + database.schema();
    private final String engine = "engine_" + database.schema();
    private final String appender = "appender_" + database.schema();
    private final Queue<StoredEvent> delivered = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void createRoles() throws SQLException {
        for (String role : List.of(owner, engine, appender)) {
            database.execute("CREATE ROLE " + role + " LOGIN PASSWORD '" + PASSWORD + "'");
        }
        database.execute("CREATE SCHEMA " + database.schema() + " AUTHORIZATION " + owner);
        PostgresStore.of(as(owner), database.config());
    }

    @AfterEach
    void dropRoles() throws SQLException {
        database.execute("DROP SCHEMA " + database.schema() + " CASCADE");
        for (String role : List.of(appender, engine, owner)) {
            database.execute("DROP OWNED BY " + role);
            database.execute("DROP ROLE " + role);
        }
        database.close();
    }

    @Test
    void a_role_that_may_append_does_so_from_java_by_the_function_and_by_the_view() throws Exception {
        grant("grant_append", appender);
        database.execute("SELECT {grant_engine}('" + engine + "')");
        try (Postrider<Connection> node = node()) {
            start(node);
            try (Postrider<Connection> application = Postrider.on(
                    PostgresStore.of(as(appender), database.config().migrate(Migrate.NEVER)))) {
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
            execute(appender, "SELECT {append}('rights.function', '{}', headers => '{\"a\": \"b\"}')");
            execute(appender, "INSERT INTO {outbox} (type, payload) VALUES ('rights.view', '{}')");
            Eventually.holds(
                    Duration.ofSeconds(30),
                    () -> assertThat(delivered)
                            .extracting(StoredEvent::type)
                            .containsExactlyInAnyOrder(
                                    "rights.one", "rights.two", "rights.three", "rights.function", "rights.view"));
        }
    }

    @Test
    void a_role_that_may_append_can_do_nothing_else() throws SQLException {
        grant("grant_append", appender);
        for (String column : List.of("position", "xid", "lane", "bytes", "appended_at")) {
            assertNoRight("INSERT INTO {outbox} (type, payload, " + column + ") VALUES ('a', '{}', NULL)");
        }
        assertNoRight("INSERT INTO {outbox_log} (id, type, payload, headers, lane, bytes)"
                + " VALUES (gen_random_uuid(), 'a', '{}', '{}', 0, 2)");
        assertNoRight("INSERT INTO {outbox_log_1} (id, type, payload, headers, lane, bytes, position)"
                + " VALUES (gen_random_uuid(), 'a', '{}', '{}', 0, 2, 9000000000000000000)");
        assertNoRight("SELECT nextval('{outbox_position}')");
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
                node.store().prune(Duration.ZERO);
                assertThat(database.number("SELECT min(position) FROM {outbox_log}"))
                        .isGreaterThan(100);
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
        grant("grant_append", appender);
        database.execute("SELECT {grant_engine}('" + engine + "')");
        PostgresStore store = PostgresStore.of(as(engine), database.config());
        try (Connection connection = as(appender).getConnection()) {
            for (int i = 0; i < 12; i++) {
                try (var statement = connection.createStatement()) {
                    statement.execute("SELECT count(" + database.schema()
                            + ".append('rights.many', '{}')) FROM generate_series(1, 100)");
                }
                store.prune(Duration.ofDays(1));
            }
        }
        assertThat(database.number("SELECT count(*) FROM {outbox_log}")).isEqualTo(1_200);
        assertThat(database.number("SELECT count(*) FROM {outbox_log_rest}")).isZero();
    }

    @Test
    void a_schema_of_a_superuser_makes_nobody_a_superuser() throws SQLException {
        try (TestDatabase other = new TestDatabase()) {
            other.store();
            assertThatThrownBy(() -> other.execute("SELECT {grant_engine}('" + engine + "')"))
                    .hasMessageContaining("a superuser, and whoever runs nodes would become one");
        }
    }

    private void grant(String function, String role) throws SQLException {
        execute(owner, "SELECT {" + function + "}('" + role + "')");
    }

    private Postrider<Connection> node() {
        PostgresStoreConfig config = database.config().migrate(Migrate.NEVER);
        return Postrider.on(PostgresStore.of(as(engine), config), PostriderConfig.defaults());
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

    private PGSimpleDataSource as(String role) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(TestDatabase.server().jdbcUrl());
        dataSource.setUser(role);
        dataSource.setPassword(PASSWORD);
        return dataSource;
    }

    private void execute(String role, String sql) throws SQLException {
        try (Connection connection = as(role).getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql.replaceAll("\\{(\\w+)}", database.schema() + ".$1"));
        }
    }

    private void assertNoRight(String sql) {
        assertThatThrownBy(() -> execute(appender, sql))
                .as(sql)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(NO_RIGHT));
    }
}
