package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Postrider;
import io.postrider.StoredEvent;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What other languages use: the function, the view, the rights that each needs. */
class SqlTest {
    private static final String NO_RIGHT = "42501";
    private static final String REFUSED = "23514";

    private final TestDatabase database = new TestDatabase();
    private final Queue<StoredEvent> delivered = new ConcurrentLinkedQueue<>();
    private Postrider<Connection> postrider;

    @BeforeEach
    void startNode() {
        postrider = Postrider.on(database.store());
        postrider
                .subscribe("sql")
                .on("**", (payload, context) -> delivered.add(context.event()))
                .start();
    }

    @AfterEach
    void stopNode() throws SQLException {
        postrider.close();
        database.execute("DROP SCHEMA " + database.schema() + " CASCADE");
        database.execute("DROP ROLE IF EXISTS " + role());
        database.close();
    }

    @Test
    void an_append_by_the_function_is_delivered() throws Exception {
        run("""
                SELECT {append}(type => 'sql.function', key => 'k', payload => '{"n": 1}', headers => '{"userId": "u"}',
                    tenant => 't')
                """);
        StoredEvent event = awaitDelivered(1).get(0);
        assertThat(event.type()).isEqualTo("sql.function");
        assertThat(event.key()).isEqualTo("k");
        assertThat(event.payload()).isEqualTo("{\"n\": 1}");
        assertThat(event.headers().get(Headers.USER_ID)).contains("u");
        assertThat(event.tenant()).isEqualTo("t");
    }

    @Test
    void an_insert_with_defaults_is_delivered() throws Exception {
        run("INSERT INTO {outbox} (type, payload) VALUES ('sql.insert', '{}'), ('sql.insert', '[]')");
        assertThat(awaitDelivered(2))
                .allSatisfy(event -> assertThat(event.type()).isEqualTo("sql.insert"))
                .allSatisfy(event -> assertThat(event.id().value().version()).isEqualTo(7))
                .allSatisfy(event -> assertThat(event.headers()).isEqualTo(Headers.NONE));
    }

    @Test
    void an_append_that_is_rolled_back_is_not_delivered() throws Exception {
        try (Connection connection = database.begin()) {
            append(connection, "undone", null);
            connection.rollback();
            append(connection, "kept", null);
            connection.commit();
        }
        assertThat(awaitDelivered(1)).extracting(StoredEvent::key).containsExactly("kept");
    }

    @Test
    void sql_computes_the_same_lanes_as_java() throws SQLException {
        try (Connection connection = database.begin()) {
            for (String key : manyKeys()) {
                append(connection, key, null);
            }
            for (int i = 0; i < 200; i++) {
                append(connection, null, UUID.randomUUID());
            }
            connection.commit();
        }
        int count = 0;
        try (Connection connection = database.begin();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT key, id, lane FROM " + database.schema() + ".outbox")) {
            while (row.next()) {
                EventId id = new EventId(row.getObject(2, UUID.class));
                assertThat(new Lane(row.getInt(3)))
                        .as("the lane of key '%s' and id %s", row.getString(1), id)
                        .isEqualTo(Lane.of(row.getString(1), id, Lane.COUNT_DEFAULT));
                count++;
            }
        }
        assertThat(count).isEqualTo(manyKeys().size() + 200);
    }

    private static List<String> manyKeys() {
        List<String> keys =
                new ArrayList<>(List.of("'", "\\", "é", "e\u0301", "ß", "日本", "🐎", "a\nb", "𝔘" + "x".repeat(100)));
        Random random = new Random(1);
        for (int i = 0; i < 500; i++) {
            keys.add(random.ints(1 + random.nextInt(20), 1, 0x20000)
                    .filter(point -> point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .append(i)
                    .toString());
        }
        return keys;
    }

    @Test
    void a_role_that_may_only_execute_the_function_can_append_and_nothing_else() throws Exception {
        createRole("GRANT USAGE ON SCHEMA " + database.schema() + " TO " + role());
        assertRefused(NO_RIGHT, "SELECT {append}(type => 'sql.function', payload => '{}')");
        database.execute("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA " + database.schema() + " TO " + role());
        asRole("SELECT {append}(type => 'sql.function', payload => '{}')");
        assertThat(awaitDelivered(1)).hasSize(1);
        assertRefused(NO_RIGHT, "INSERT INTO {outbox} (type, payload) VALUES ('sql.insert', '{}')");
        assertRefused(NO_RIGHT, "INSERT INTO {event_log} (type, payload, position) VALUES ('sql.insert', '{}', 7)");
        assertRefused(NO_RIGHT, "SELECT nextval('{event_position}')");
        assertRefused(NO_RIGHT, "SELECT * FROM {outbox}");
    }

    @Test
    void a_role_that_may_insert_columns_can_set_neither_position_nor_xid() throws Exception {
        createRole("GRANT USAGE ON SCHEMA " + database.schema() + " TO " + role());
        database.execute("GRANT INSERT (type, key, payload) ON {outbox} TO " + role());
        asRole("INSERT INTO {outbox} (type, key, payload) VALUES ('sql.insert', 'k', '{}')");
        assertThat(awaitDelivered(1)).hasSize(1);
        assertRefused(NO_RIGHT, "INSERT INTO {outbox} (type, payload, position) VALUES ('sql.insert', '{}', 7)");
        assertRefused(NO_RIGHT, "INSERT INTO {outbox} (type, payload, xid) VALUES ('sql.insert', '{}', '7')");
    }

    @Test
    void a_role_that_may_insert_everything_can_still_set_neither_position_nor_xid_nor_lane() throws SQLException {
        createRole("GRANT USAGE ON SCHEMA " + database.schema() + " TO " + role());
        database.execute("GRANT INSERT ON {outbox} TO " + role());
        assertRefused(REFUSED, "INSERT INTO {outbox} (type, payload, position) VALUES ('sql.insert', '{}', 7)");
        assertRefused(REFUSED, "INSERT INTO {outbox} (type, payload, xid) VALUES ('sql.insert', '{}', '7')");
        assertRefused(REFUSED, "INSERT INTO {outbox} (type, payload, lane) VALUES ('sql.insert', '{}', 7)");
    }

    @Test
    void what_java_refuses_sql_refuses_too() {
        assertRefusedHere(REFUSED, "SELECT {append}(type => '', payload => '{}')");
        assertRefusedHere(REFUSED, "SELECT {append}(type => 't', key => repeat('k', 256), payload => '{}')");
        assertRefusedHere(REFUSED, "SELECT {append}(type => 't', payload => '{}', headers => '[]')");
        assertRefusedHere(REFUSED, "SELECT {append}(type => 't', payload => to_json(repeat('x', 1048576)))");
        assertRefusedHere("22P02", "SELECT {append}(type => 't', payload => '{')");
    }

    @Test
    void two_schemas_in_one_database_do_not_see_each_others_events() throws Exception {
        try (TestDatabase other = new TestDatabase();
                Postrider<Connection> neighbour = Postrider.on(other.store())) {
            Queue<String> seen = new ConcurrentLinkedQueue<>();
            neighbour
                    .subscribe("sql")
                    .on("**", (payload, context) -> seen.add(context.type()))
                    .start();
            run("SELECT {append}(type => 'ours', payload => '{}')");
            other.execute("SELECT {append}(type => 'theirs', payload => '{}')");
            Eventually.holds(Duration.ofSeconds(60), () -> assertThat(seen).containsExactly("theirs"));
            assertThat(awaitDelivered(1)).extracting(StoredEvent::type).containsExactly("ours");
        }
    }

    private void append(Connection connection, @Nullable String key, @Nullable UUID id) throws SQLException {
        String sql = "SELECT " + database.schema() + ".append(type => 'sql.lane', payload => '{}', key => ?, id => ?)";
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, key);
            select.setObject(2, id);
            select.execute();
        }
    }

    private List<StoredEvent> awaitDelivered(int count) {
        Eventually.holds(Duration.ofSeconds(60), () -> assertThat(delivered).hasSizeGreaterThanOrEqualTo(count));
        assertThat(delivered).hasSize(count);
        return List.copyOf(delivered);
    }

    // ---- roles ------------------------------------------------------------------------------------------------------

    private String role() {
        return "appender_" + database.schema();
    }

    private void createRole(String grant) throws SQLException {
        database.execute("CREATE ROLE " + role());
        database.execute(grant);
    }

    private void asRole(String sql) throws SQLException {
        try (Connection connection = database.begin();
                var statement = connection.createStatement()) {
            statement.execute("SET LOCAL ROLE " + role());
            statement.execute(named(sql));
            connection.commit();
        }
    }

    private void assertRefused(String state, String sql) {
        assertRefused(state, () -> asRole(sql), sql);
    }

    private void assertRefusedHere(String state, String sql) {
        assertRefused(state, () -> database.execute(sql), sql);
    }

    private static void assertRefused(String state, ThrowingCallable call, String sql) {
        assertThatThrownBy(call)
                .as(sql)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(state));
    }

    // ---- psql -------------------------------------------------------------------------------------------------------

    private String named(String sql) {
        return sql.replaceAll("\\{(\\w+)}", database.schema() + ".$1");
    }

    /** By psql where there is one, as another language would; by JDBC otherwise. */
    private void run(String sql) throws Exception {
        boolean psql = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "psql")));
        if (psql) {
            psql(named(sql));
        } else {
            database.execute(sql);
        }
    }

    private static void psql(String sql) throws IOException {
        var server = TestDatabase.server();
        String url = "postgresql://" + server.user() + "@127.0.0.1:" + server.port() + "/postgres";
        ProcessBuilder builder = new ProcessBuilder("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql)
                .redirectErrorStream(true);
        builder.environment().put("PGPASSWORD", server.password());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.onExit().join().exitValue()).as(output).isZero();
    }
}
