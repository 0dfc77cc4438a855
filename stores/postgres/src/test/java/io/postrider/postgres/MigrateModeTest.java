package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Applications whose role does not own the schema start without a migration. */
class MigrateModeTest {
    private final TestDatabase database = new TestDatabase();
    private final String role = "app_" + database.schema();

    @BeforeEach
    void createRole() throws SQLException {
        database.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'secret'");
    }

    @AfterEach
    void close() throws SQLException {
        database.execute("DROP OWNED BY " + role);
        database.execute("DROP ROLE " + role);
        database.close();
    }

    @Test
    void an_application_with_the_rights_to_append_and_no_other_appends() throws Exception {
        database.store();
        grantAppend();
        for (Migrate migrate : new Migrate[] {Migrate.VALIDATE, Migrate.NEVER}) {
            PostgresStore store = PostgresStore.of(asRole(), database.config().migrate(migrate));
            try (Postrider<Connection> application = Postrider.on(store)) {
                application.transaction(connection -> application
                        .outbox()
                        .append(connection, Event.of("paid", "100").key("ann")));
            }
        }
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(2);
    }

    @Test
    void to_apply_without_rights_is_refused_with_what_to_do() throws SQLException {
        assertThatThrownBy(() -> PostgresStore.of(asRole(), database.config()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("lacks a right")
                .hasMessageContaining("'./postrider migrate --schema " + database.schema() + "'")
                .hasMessageContaining("Migrate.NEVER");
    }

    @Test
    void to_apply_what_is_there_already_needs_no_right_to_create() throws SQLException {
        database.store();
        database.execute("GRANT USAGE ON SCHEMA " + database.schema() + " TO " + role);
        database.execute("GRANT ALL ON ALL TABLES IN SCHEMA " + database.schema() + " TO " + role);
        database.execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA " + database.schema() + " TO " + role);
        assertThat(PostgresStore.of(asRole(), database.config()).browse().subscriptions())
                .isEmpty();
    }

    @Test
    void validate_names_what_is_missing_and_the_command() throws SQLException {
        PostgresStoreConfig validate = database.config().migrate(Migrate.VALIDATE);
        assertThatThrownBy(() -> PostgresStore.of(asRole(), validate))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("there is no schema '" + database.schema() + "'")
                .hasMessageContaining("./postrider migrate --schema " + database.schema());

        database.store();
        database.execute("GRANT USAGE ON SCHEMA " + database.schema() + " TO " + role);
        List<Migration> more = Stream.concat(
                        Migration.known().stream(), Stream.of(Migration.of("V99__more.sql", "SELECT 1")))
                .toList();
        PostgresMigrator newer = new PostgresMigrator(new Jdbc(asRole(), database.schema()), validate, more);
        assertThatThrownBy(newer::validate)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("lacks V99 (more)")
                .hasMessageContaining("./postrider migrate --schema " + database.schema());
    }

    @Test
    void validate_without_the_right_to_use_the_schema_says_so() throws SQLException {
        database.store();
        assertThatThrownBy(() -> PostgresStore.of(asRole(), database.config().migrate(Migrate.VALIDATE)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("lacks a right")
                .hasMessageContaining("USAGE on the schema");
    }

    @Test
    void validate_refuses_a_log_that_was_restored_elsewhere_if_the_role_may_not_rebase_it() throws SQLException {
        database.store();
        database.execute("UPDATE {cluster} SET system_identifier = system_identifier - 1");
        grantAppend();
        database.execute("GRANT SELECT ON {cluster} TO " + role);
        PostgresStoreConfig validate = database.config().migrate(Migrate.VALIDATE);
        assertThatThrownBy(() -> PostgresStore.of(asRole(), validate))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("restored into another cluster")
                .hasMessageContaining("./postrider migrate");
        assertThat(PostgresStore.of(database.dataSource(), validate).browse().subscriptions())
                .isEmpty();
        assertThat(PostgresStore.of(asRole(), validate)).isNotNull();
    }

    @Test
    void a_store_that_never_looked_and_has_no_schema_says_what_to_do_with_its_first_call() {
        PostgresStore store =
                PostgresStore.of(database.dataSource(), database.config().migrate(Migrate.NEVER));
        assertThatThrownBy(() -> Postrider.on(store)
                        .subscribe("mail")
                        .on("**", (event, context) -> {})
                        .start())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("'./postrider migrate --schema " + database.schema() + "'");
        assertThatThrownBy(() -> Postrider.on(store)
                        .transaction(
                                connection -> Postrider.on(store).outbox().append(connection, Event.of("paid", "100"))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("'./postrider migrate --schema " + database.schema() + "'");
    }

    @Test
    void a_role_that_only_appends_and_subscribes_is_told_which_right_it_lacks() throws Exception {
        database.store();
        grantAppend();
        PostgresStore store = PostgresStore.of(asRole(), database.config().migrate(Migrate.VALIDATE));
        try (Postrider<Connection> application = Postrider.on(store)) {
            assertThatThrownBy(() -> application
                            .subscribe("mail")
                            .on("**", (event, context) -> {})
                            .start())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("lacks a right")
                    .hasMessageContaining(database.schema() + ".grant_engine(");
        }
    }

    @Test
    void never_takes_no_connection_at_the_start() {
        assertThat(PostgresStore.of(unreachable(), database.config().migrate(Migrate.NEVER)))
                .isNotNull();
    }

    @Test
    void a_postgresql_that_is_away_fails_the_start_at_once_or_after_the_wait() {
        assertThatThrownBy(() -> PostgresStore.of(unreachable(), database.config()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("no connection to PostgreSQL")
                .hasMessageContaining(". This start does not wait")
                .hasMessageNotContaining("..")
                .hasMessageContaining("PostgresStoreConfig.startWait");
        assertThatThrownBy(
                        () -> PostgresStore.of(unreachable(), database.config().startWait(Duration.ofMillis(300))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("has waited for 0.");
    }

    @Test
    void a_wait_is_told_in_seconds() {
        assertThat(StoreStart.seconds(Duration.ZERO)).isEqualTo("0 s");
        assertThat(StoreStart.seconds(Duration.ofMillis(300))).isEqualTo("0.3 s");
        assertThat(StoreStart.seconds(Duration.ofMinutes(1))).isEqualTo("60 s");
    }

    @Test
    void a_postgresql_that_comes_in_time_is_waited_for() {
        DataSource late = new LateDataSource(database.dataSource(), 3);
        assertThat(PostgresStore.of(late, database.config().startWait(Duration.ofMinutes(1)))
                        .browse()
                        .subscriptions())
                .isEmpty();
    }

    @Test
    void a_wrong_password_is_not_waited_for() {
        PGSimpleDataSource wrong = asRole();
        wrong.setPassword("not it");
        assertThatThrownBy(() -> PostgresStore.of(wrong, database.config().startWait(Duration.ofDays(1))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("refused the user or the password");
    }

    @Test
    void a_wrong_password_that_a_pool_tells_as_its_time_out_is_not_waited_for() {
        PGSimpleDataSource wrong = asRole();
        wrong.setPassword("not it");
        HikariConfig config = new HikariConfig();
        config.setDataSource(wrong);
        config.setInitializationFailTimeout(-1);
        config.setConnectionTimeout(500);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            assertThatThrownBy(() -> PostgresStore.of(pool, database.config().startWait(Duration.ofDays(1))))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("refused the user or the password");
        }
    }

    private void grantAppend() throws SQLException {
        database.execute("SELECT {grant_append}('" + role + "')");
    }

    private PGSimpleDataSource asRole() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(TestDatabase.server().jdbcUrl());
        dataSource.setUser(role);
        dataSource.setPassword("secret");
        return dataSource;
    }

    /** Nothing listens on port 1. */
    private static DataSource unreachable() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl("jdbc:postgresql://localhost:1/postgres");
        return dataSource;
    }
}
