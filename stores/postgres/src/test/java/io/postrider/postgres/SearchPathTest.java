package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.EventFilter;
import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Removal;
import io.postrider.operate.Search;
import io.postrider.operate.Why;
import io.postrider.policy.Queue;
import io.postrider.policy.RetryPolicy;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A role that may create in a schema of the engine's search_path could have the engine run what it likes: it is told.
 */
class SearchPathTest {
    private static final String PASSWORD = "secret";
    private static final Duration LONG = Duration.ofSeconds(30);

    private final TestDatabase database = TestDatabase.prepared();
    private final String name = ((HikariDataSource) database.dataSource()).getJdbcUrl();
    private final String suffix = Integer.toHexString(name.hashCode());
    private final String owner = "owner_" + suffix;
    private final String engine = "engine_" + suffix;
    private final String attacker = "attacker_" + suffix;
    private final PostgresStoreConfig config = database.config().schema("guarded");

    @BeforeEach
    void createRoles() throws SQLException {
        for (String role : List.of(owner, engine, attacker)) {
            database.execute("CREATE ROLE " + role + " LOGIN PASSWORD '" + PASSWORD + "'");
        }
        database.execute("CREATE SCHEMA guarded AUTHORIZATION " + owner);
        database.execute("GRANT " + owner + " TO " + engine);
    }

    @AfterEach
    void dropRoles() throws SQLException {
        database.execute("DROP SCHEMA guarded CASCADE");
        for (String role : List.of(attacker, engine, owner)) {
            database.execute("DROP OWNED BY " + role + " CASCADE");
            database.execute("DROP ROLE " + role);
        }
        database.close();
    }

    @Test
    void a_database_as_it_comes_is_not_worth_a_word() {
        assertThat(saidAtStart(Migrate.APPLY)).isEmpty();
        assertThat(saidAtStart(Migrate.VALIDATE)).isEmpty();
    }

    @Test
    void a_schema_of_the_path_in_which_everyone_may_create_is_told_with_what_to_do() throws SQLException {
        database.execute("GRANT CREATE ON SCHEMA public TO PUBLIC");
        for (Migrate mode : List.of(Migrate.APPLY, Migrate.VALIDATE)) {
            assertThat(saidAtStart(mode))
                    .containsOnlyOnce("WARN")
                    .contains("Schema public is in the search_path of role " + engine)
                    .contains("others may create in it: PUBLIC.")
                    .contains("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
                    .contains("ALTER ROLE " + engine + " SET search_path = pg_catalog");
        }
        database.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
        assertThat(saidAtStart(Migrate.VALIDATE)).isEmpty();
    }

    @Test
    void roles_that_may_create_are_named_and_those_that_are_trusted_anyway_are_not() throws SQLException {
        database.execute("GRANT CREATE ON SCHEMA public TO " + attacker + ", " + engine + ", CURRENT_USER");
        assertThat(saidAtStart(Migrate.APPLY)).contains("others may create in it: " + attacker + ".");
        database.execute("ALTER SCHEMA public OWNER TO " + owner);
        database.execute("REVOKE CREATE ON SCHEMA public FROM " + attacker);
        database.execute("GRANT " + owner + " TO " + attacker);
        database.execute("GRANT CREATE ON SCHEMA public TO " + attacker);
        assertThat(saidAtStart(Migrate.VALIDATE)).as("a member of the owner").isEmpty();
    }

    @Test
    void a_planted_operator_is_told_also_when_nobody_may_create_any_more() throws Exception {
        plant("*", "bigint", "interval", "interval", "$1::float8 OPERATOR(pg_catalog.*) $2");
        assertThat(saidAtStart(Migrate.APPLY)).contains("others may create in it: PUBLIC.");
        database.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
        assertThat(saidAtStart(Migrate.VALIDATE))
                .contains("Schema public is in the search_path")
                .contains("role " + attacker + " has made: OPERATOR *(bigint,interval)");
        work();
        assertThat(database.number("SELECT count(*) FROM public.loot"))
                .as("it does run where the path leads to it")
                .isPositive();
    }

    @Test
    void with_the_remedy_nothing_that_is_planted_runs_and_everything_works() throws Exception {
        plant("*", "bigint", "interval", "interval", "$1::float8 OPERATOR(pg_catalog.*) $2");
        plant("=", "text", "varchar", "bool", "$1 OPERATOR(pg_catalog.=) $2::text");
        plant("=", "name", "varchar", "bool", "$1::text OPERATOR(pg_catalog.=) $2::text");
        database.execute("ALTER ROLE " + engine + " SET search_path = pg_catalog");
        assertThat(saidAtStart(Migrate.APPLY)).isEmpty();
        work();
        assertThat(database.number("SELECT count(*) FROM public.loot")).isZero();
    }

    /** An operator with the types that a statement with parameters has, which none of PostgreSQL's own has. */
    private void plant(String operator, String left, String right, String returns, String result) throws SQLException {
        database.execute("""
                GRANT CREATE ON SCHEMA public TO PUBLIC;
                CREATE TABLE IF NOT EXISTS public.loot (what text);
                GRANT INSERT ON public.loot TO PUBLIC
                """);
        try (Connection connection = as(attacker).getConnection();
                var statement = connection.createStatement()) {
            statement.execute("""
                    CREATE FUNCTION public.planted(%1$s, %2$s) RETURNS %3$s LANGUAGE plpgsql AS $$
                    BEGIN
                        IF current_user = '%4$s' THEN INSERT INTO public.loot VALUES (current_user); END IF;
                        RETURN %5$s;
                    END $$;
                    CREATE OPERATOR public.%6$s (LEFTARG = %1$s, RIGHTARG = %2$s, FUNCTION = public.planted)
                    """.formatted(left, right, returns, engine, result, operator));
        }
    }

    /** What nodes and operators do, once each: deliver, fail, replay, search, count, prune, remove. */
    private void work() throws Exception {
        PostgresStore store = PostgresStore.of(as(engine), config);
        AtomicBoolean broken = new AtomicBoolean(true);
        List<String> delivered = new CopyOnWriteArrayList<>();
        try (Postrider<Connection> node = Postrider.on(store)) {
            node.subscribe("letters")
                    .on("letter.*", String.class, (text, context) -> {
                        if (broken.get() && text.equals("bad")) {
                            throw new IllegalStateException("not yet");
                        }
                        delivered.add(text);
                    })
                    .retry(RetryPolicy.DEFAULT.attempts(1))
                    .start();
            node.subscribe("tasks")
                    .on("letter.*", (payload, context) -> {})
                    .queue(Queue.DEFAULT)
                    .start();
            for (String text : List.of("a", "bad", "b")) {
                node.transaction(connection -> node.outbox()
                        .append(connection, Event.of("letter.sent", text).key(text)));
            }
            Eventually.holds(LONG, () -> assertThat(delivered).containsExactlyInAnyOrder("a", "b"));
            Eventually.holds(
                    LONG,
                    () -> assertThat(store.browse().deliveries("letters", Delivery.Status.DEAD, Position.ZERO, 10))
                            .hasSize(1));
            broken.set(false);
            Delivery dead = store.browse()
                    .deliveries("letters", Delivery.Status.DEAD, Position.ZERO, 10)
                    .get(0);
            assertThat(store.search().why("letters", dead.id())).isInstanceOf(Why.Dead.class);
            assertThat(store.operate()
                            .replay("letters", dead.position(), new By("ann", "try"))
                            .done())
                    .isTrue();
            Eventually.holds(LONG, () -> assertThat(delivered).contains("bad"));
            Eventually.holds(
                    LONG,
                    () -> assertThat(store.browse().ledger("letters").counts().delivered())
                            .isEqualTo(3));
            Eventually.holds(
                    LONG,
                    () -> assertThat(store.browse().ledger("tasks").counts().delivered())
                            .isEqualTo(3));
            assertThat(store.search().story(dead.id())).isPresent();
            assertThat(store.search()
                            .deliveries("letters", Search.State.DELIVERED, EventFilter.ALL, null, 10)
                            .events())
                    .hasSize(3);
            assertThat(store.browse().progress("letters").counts().delivered()).isEqualTo(3);
            store.prune().prune(Duration.ofDays(1));
        }
        assertThat(store.operate()
                        .remove("letters", new By("ops", "done with it"), Removal.DROPPING)
                        .done())
                .isTrue();
    }

    private String saidAtStart(Migrate mode) {
        PrintStream log = System.err;
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
        try {
            PostgresStore.of(as(engine), config.migrate(mode));
            return lines.toString(StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.contains(SearchPathCheck.class.getName()))
                    .collect(Collectors.joining("\n"));
        } finally {
            System.setErr(log);
        }
    }

    private PGSimpleDataSource as(String role) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(name);
        dataSource.setUser(role);
        dataSource.setPassword(PASSWORD);
        return dataSource;
    }
}
