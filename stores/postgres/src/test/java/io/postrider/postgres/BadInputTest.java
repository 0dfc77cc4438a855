package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.Payload;
import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.operate.Delivery;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Start;
import io.postrider.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What cannot work is refused with a sentence that names the reason, and costs nothing that was there before. */
class BadInputTest {
    private static final NodeLimits SMALL =
            NodeLimits.builder().payloadBytes(100).build();

    private final TestDatabase database = new TestDatabase();
    private Postrider<Connection> postrider;

    @BeforeEach
    void createNode() {
        postrider = Postrider.on(database.store(), PostriderConfig.defaults().limits(SMALL));
    }

    @AfterEach
    void close() {
        postrider.close();
        database.close();
    }

    @Test
    void a_wrong_password_is_named_as_the_reason() {
        PGSimpleDataSource wrong = new PGSimpleDataSource();
        wrong.setUrl(TestDatabase.server().jdbcUrl());
        wrong.setUser("stranger");
        wrong.setPassword("not it");
        assertThatThrownBy(() -> PostgresStore.of(wrong))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("refused the user or the password");
    }

    @Test
    void a_database_of_another_encoding_is_refused_with_what_would_be_right() throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
            PGSimpleDataSource latin = new PGSimpleDataSource();
            latin.setUrl(TestDatabase.server().jdbcUrl());
            latin.setDatabaseName("latin");
            latin.setUser(TestDatabase.server().user());
            latin.setPassword(TestDatabase.server().password());
            assertThatThrownBy(() -> PostgresStore.of(latin))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("LATIN1")
                    .hasMessageContaining("ENCODING 'UTF8'");
            PostgresStoreConfig validating = PostgresStoreConfig.DEFAULT.migrate(Migrate.VALIDATE);
            assertThatThrownBy(() -> PostgresStore.of(latin, validating)).hasMessageContaining("LATIN1");
            try (Connection other = latin.getConnection();
                    var script = other.createStatement()) {
                assertThatThrownBy(() -> script.execute(LogChecks.encodingCheck()))
                        .hasMessageContaining("LATIN1")
                        .hasMessageContaining("ENCODING 'UTF8'");
            }
            statement.execute("DROP DATABASE latin");
        }
    }

    @Test
    void a_schema_that_is_a_keyword_is_refused() {
        PostgresStoreConfig config = PostgresStoreConfig.DEFAULT.schema("user");
        assertThatThrownBy(() -> PostgresStore.of(database.dataSource(), config))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'user' is a keyword of PostgreSQL: give the schema another name");
    }

    @Test
    void a_pool_of_one_connection_is_enough_for_questions_about_names_that_nobody_knows() {
        try (HikariDataSource pool = poolOfOne()) {
            PostgresStore store = PostgresStore.of(pool, database.config());
            assertThatThrownBy(() -> store.browse().ledger("misspelt")).hasMessageContaining("'misspelt'");
            assertThatThrownBy(() -> store.browse().progress("misspelt")).hasMessageContaining("'misspelt'");
            assertThatThrownBy(() -> store.browse().deliveries("misspelt", Delivery.Status.DEAD, Position.ZERO, 10))
                    .hasMessageContaining("'misspelt'");
        }
    }

    private HikariDataSource poolOfOne() {
        HikariConfig small = new HikariConfig();
        small.setDataSource(database.dataSource());
        small.setMaximumPoolSize(1);
        small.setConnectionTimeout(2_000);
        return new HikariDataSource(small);
    }

    @Test
    void a_pool_of_one_connection_is_enough_for_a_migration() throws SQLException {
        PostgresStoreConfig config = PostgresStoreConfig.DEFAULT.schema("small_pool");
        try (HikariDataSource pool = poolOfOne()) {
            assertThat(PostgresStore.of(pool, config).browse().subscriptions()).isEmpty();
        } finally {
            database.execute("DROP SCHEMA IF EXISTS small_pool CASCADE");
        }
    }

    @Test
    void a_sequence_behind_the_log_is_refused_until_it_is_set() throws Exception {
        append(Payload.json("{}"));
        append(Payload.json("{}"));
        database.execute("SELECT setval('{event_position}', 1)");
        assertThatThrownBy(database::store)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("behind the log")
                .hasMessageContaining(
                        "SELECT setval('" + database.schema() + ".event_position', (SELECT max(position)");
        database.execute("SELECT setval('{event_position}', (SELECT max(position) FROM {event_log}))");
        assertThat(database.store().browse().subscriptions()).isEmpty();
        assertThat(events()).isEqualTo(2);
    }

    @Test
    void an_append_on_an_auto_commit_connection_is_refused() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            assertThatThrownBy(() -> postrider.outbox().append(connection, Event.of("bad", "input")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("auto-commit");
        }
        assertThat(events()).isZero();
    }

    @Test
    void text_that_is_not_json_is_refused_and_the_transaction_goes_on() throws Exception {
        refusedAndThenCommitted(Payload.json("{\"unfinished\": "), "is not JSON");
        refusedAndThenCommitted(Payload.json(""), "is empty");
        refusedAndThenCommitted(Payload.json("{} {}"), "after its JSON value");
    }

    @Test
    void a_payload_over_the_limit_is_refused_and_the_transaction_goes_on() throws Exception {
        refusedAndThenCommitted(Payload.of("x".repeat(100)), "has 102 bytes, the limit payloadBytes is 100");
        refusedAndThenCommitted(Payload.of("é".repeat(50)), "has 102 bytes, the limit payloadBytes is 100");
    }

    @Test
    void a_start_that_the_log_does_not_have_is_refused_and_creates_nothing() throws Exception {
        append(Payload.json("{}"));
        assertThatThrownBy(() -> postrider
                        .subscribe("ahead")
                        .on("*", (payload, context) -> {})
                        .from(Start.after(new Position(99)))
                        .start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("99")
                .hasMessageContaining("the log ends at 1");
        assertThat(postrider.operator().browse().subscriptions()).isEmpty();
    }

    /** The refused event leaves no trace; what else the transaction does is committed. */
    private void refusedAndThenCommitted(Payload refused, String reason) throws Exception {
        long before = events();
        postrider.transaction(connection -> {
            assertThatThrownBy(() -> postrider.outbox().append(connection, Event.of("bad", refused)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'bad'")
                    .hasMessageContaining(reason);
            return postrider.outbox().append(connection, Event.of("good", "input"));
        });
        assertThat(events()).isEqualTo(before + 1);
    }

    private void append(Payload payload) throws Exception {
        postrider.transaction(connection -> postrider.outbox().append(connection, Event.of("good", payload)));
    }

    private long events() throws SQLException {
        return database.number("SELECT count(*) FROM {outbox}");
    }
}
