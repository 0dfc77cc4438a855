package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A schema is made, brought up to date, shared and refused. */
class MigratorTest {
    private static final int LAST = PostgresMigrator.codeVersion();

    private final TestDatabase database = new TestDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void from_nothing_every_migration_runs_once_and_the_history_tells_who_ran_it() throws SQLException {
        List<Migration> known = Migration.known();
        assertThat(migrator(known).pending()).hasSameSizeAs(known);
        assertThat(migrator(known).apply()).hasSameSizeAs(known).first().isEqualTo("V1 (the schema of a log)");
        assertThat(migrator(known).apply()).isEmpty();
        assertThat(migrator(known).schemaVersion()).isEqualTo(LAST);
        assertThat(database.number("SELECT count(*) FROM {migration_history} WHERE applied_by = current_user"
                        + " AND applied_at <= clock_timestamp() AND ms >= 0"))
                .isEqualTo(known.size());
    }

    @Test
    void stores_that_start_at_once_share_the_work() throws Exception {
        int stores = 8;
        ExecutorService threads = Executors.newFixedThreadPool(stores);
        try {
            CyclicBarrier together = new CyclicBarrier(stores);
            Callable<PostgresStore> start = () -> {
                together.await();
                return database.store();
            };
            List<Future<PostgresStore>> started = new ArrayList<>();
            IntStream.range(0, stores).forEach(i -> started.add(threads.submit(start)));
            for (Future<PostgresStore> store : started) {
                assertThat(store.get().browse().subscriptions()).isEmpty();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(database.number("SELECT count(*) FROM {migration_history}"))
                .isEqualTo(Migration.known().size());
    }

    @Test
    void a_log_without_a_history_is_refused_with_what_to_do() throws SQLException {
        database.store();
        database.execute("DROP TABLE {migration_history}");
        assertThatThrownBy(database::store)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(database.schema())
                .hasMessageContaining("restore that table from a backup");
    }

    @Test
    void a_schema_with_tables_of_others_is_shared_with_them() throws SQLException {
        database.execute("CREATE SCHEMA " + database.schema());
        database.execute("CREATE TABLE {invoice} ()");
        assertThat(database.store().browse().subscriptions()).isEmpty();
        assertThat(database.number("SELECT count(*) FROM {invoice}")).isZero();
    }

    @Test
    void a_migration_that_fails_leaves_nothing_half_done_and_says_where() throws SQLException {
        database.store();
        List<Migration> known = with(
                migration(LAST + 1, "CREATE TABLE ${schema}.whole ()"),
                migration(LAST + 2, "-- half\nCREATE TABLE ${schema}.half ();\n\nSELECT nonsense;\n"));
        assertThatThrownBy(() -> migrator(known).apply())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("V" + (LAST + 2) + " (test)")
                .hasMessageContaining("line 4 of V" + (LAST + 2) + "__test.sql")
                .hasMessageContaining("nothing of this migration was kept")
                .hasMessageContaining("nonsense");
        assertThat(migrator(known).schemaVersion()).isEqualTo(LAST + 1);
        assertThat(database.number("SELECT count(*) FROM {whole}")).isZero();
        assertThat(database.number("SELECT count(*) FROM pg_class WHERE relname = 'half' AND relnamespace = '"
                        + database.schema() + "'::regnamespace"))
                .isZero();
    }

    @Test
    void a_migration_that_data_refuses_fails_like_any_other_and_shows_no_row() throws SQLException {
        database.store();
        List<Migration> known = with(migration(
                LAST + 1,
                "CREATE TABLE ${schema}.checked (secret text CHECK (secret = ''));\n"
                        + "INSERT INTO ${schema}.checked VALUES ('s3cr3t');"));
        assertThatThrownBy(() -> migrator(known).apply())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("V" + (LAST + 1) + " (test)")
                .hasMessageContaining("violates check constraint")
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("s3cr3t"));
    }

    @Test
    void a_migration_whose_file_was_changed_is_refused() throws SQLException {
        List<Migration> known = with(migration(LAST + 1, "CREATE TABLE ${schema}.more ()"));
        migrator(known).apply();
        database.execute("UPDATE {migration_history} SET checksum = checksum + 1 WHERE version = " + (LAST + 1));
        assertThatThrownBy(migrator(known)::apply)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("V" + (LAST + 1) + "__test.sql")
                .hasMessageContaining("number of its own");
    }

    @Test
    void a_number_that_was_left_out_is_filled_later() throws SQLException {
        database.store();
        Migration later = migration(LAST + 5, "CREATE TABLE ${schema}.later ()");
        Migration between = migration(LAST + 2, "CREATE TABLE ${schema}.between ()");
        migrator(with(later)).apply();
        assertThat(migrator(with(between, later)).apply()).containsExactly(between.toString());
        assertThat(migrator(with(between, later)).apply()).isEmpty();
    }

    @Test
    void a_newer_schema_serves_the_code_that_it_names() throws SQLException {
        migrator(with(migration(LAST + 1, "-- serves: " + LAST + "\nCREATE TABLE ${schema}.more ()")))
                .apply();
        assertThat(database.store().browse().subscriptions()).isEmpty();
    }

    @Test
    void a_newer_schema_that_does_not_serve_the_code_is_refused_and_left_alone() throws SQLException {
        migrator(with(
                        migration(LAST + 1, "-- serves: " + LAST + "\nCREATE TABLE ${schema}.more ()"),
                        migration(LAST + 2, "DROP TABLE ${schema}.more")))
                .apply();
        assertThatThrownBy(database::store)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(database.schema())
                .hasMessageContaining("version " + (LAST + 2))
                .hasMessageContaining("run a newer Postrider");
        assertThat(database.number("SELECT max(version) FROM {migration_history}"))
                .isEqualTo(LAST + 2);
    }

    @Test
    void a_migration_that_waits_for_a_table_lets_appends_pass() throws Exception {
        database.store();
        Migration blocked = migration(LAST + 1, "ALTER TABLE ${schema}.event_log ADD COLUMN more text");
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Connection reader = database.begin();
                var statement = reader.createStatement()) {
            statement.execute("SELECT count(*) FROM " + database.schema() + ".event_log");
            Future<List<String>> migrated =
                    thread.submit(() -> migrator(with(blocked)).apply());
            Eventually.holds(Duration.ofSeconds(60), () -> assertThat(waiting()).isEqualTo(1));
            database.execute("SELECT {append}('paid', '{}')");
            reader.commit();
            assertThat(migrated.get()).containsExactly(blocked.toString());
        } finally {
            thread.shutdownNow();
        }
        assertThat(database.number("SELECT count(*) FROM {event_log} WHERE more IS NULL"))
                .isEqualTo(1);
    }

    private long waiting() throws SQLException {
        return database.number("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '" + database.schema()
                + ".event_log'::regclass");
    }

    private PostgresMigrator migrator(List<Migration> known) {
        return new PostgresMigrator(new Jdbc(database.dataSource(), database.schema()), database.config(), known);
    }

    private static List<Migration> with(Migration... more) {
        return Stream.concat(Migration.known().stream(), Stream.of(more)).toList();
    }

    private static Migration migration(int version, String text) {
        return Migration.of("V" + version + "__test.sql", text);
    }
}
