package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks that other sessions hold: those of a role that only appends hold nothing up, the others for a bounded time. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HeldLocksTest {
    private static final int LAST = PostgresMigrator.codeVersion();
    private static final Duration KEPT = Duration.ofDays(1);
    private static final Migration MORE =
            Migration.of("V" + (LAST + 1) + "__more.sql", "-- serves: " + LAST + "\nCREATE TABLE ${schema}.more ()");

    private final TestDatabase database = new TestDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_role_that_only_appends_holds_up_neither_migrations_nor_search_indexes() throws Exception {
        try (Roles roles = new Roles(database)) {
            roles.grant("grant_append", roles.appender());
            try (Connection held = roles.as(roles.appender()).getConnection();
                    var statement = held.createStatement()) {
                held.setAutoCommit(false);
                statement.execute("SELECT pg_advisory_lock(hashtextextended('postrider migration of "
                        + database.schema() + "', 0)), pg_advisory_lock(hashtext('" + database.schema() + ".search'))");
                statement.execute("SELECT count(*) FROM " + database.schema() + ".migration_history");
                assertThat(migrator(Duration.ofSeconds(5), MORE).apply()).containsExactly(MORE.toString());

                SearchPlanTest.append(database, 210);
                PostgresStore store = PostgresStore.of(roles.as(roles.owner()), database.config());
                while (store.prune().prune(KEPT).created() > 0) {}
                assertThat(indexes("event_log_1")).isEqualTo(SearchIndex.values().length);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"migration_history", "segment"})
    void a_role_that_only_appends_or_reads_cannot_take_the_locks_of_migrations_and_search_indexes(String table)
            throws Exception {
        try (Roles roles = new Roles(database)) {
            roles.grant("grant_append", roles.appender());
            roles.grant("grant_read", roles.reader());
            for (String role : List.of(roles.appender(), roles.reader())) {
                assertThatThrownBy(() -> roles.execute(role, "BEGIN; LOCK TABLE {" + table + "} IN ROW SHARE MODE"))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("permission denied");
            }
        }
    }

    @Test
    void a_migration_that_another_session_holds_up_for_ever_says_who_in_bounded_time() throws SQLException {
        database.store();
        try (Connection holder = database.begin();
                var statement = holder.createStatement()) {
            statement.execute("SET LOCAL application_name = 'stuck one'");
            statement.execute("LOCK TABLE " + database.schema() + ".migration_history IN ROW EXCLUSIVE MODE");
            long began = System.nanoTime();
            assertThatThrownBy(() -> migrator(Duration.ofSeconds(2), MORE).apply())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("another migration")
                    .hasMessageContaining("'" + database.schema() + "'")
                    .hasMessageContaining("'stuck one'")
                    .hasMessageContaining("process " + process(holder))
                    .hasMessageContaining("nothing was changed");
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(30));
        }
        assertThat(migrator(Duration.ofSeconds(2), MORE).apply()).containsExactly(MORE.toString());
    }

    @Test
    void a_first_migration_beside_a_transaction_that_makes_the_schema_says_so_in_bounded_time() throws SQLException {
        try (Connection holder = database.begin();
                var statement = holder.createStatement()) {
            statement.execute("CREATE SCHEMA " + database.schema());
            assertThatThrownBy(() -> migrator(Duration.ofSeconds(2)).apply())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("another migration")
                    .hasMessageContaining("'" + database.schema() + "'");
            holder.commit();
        }
        assertThat(migrator(Duration.ofSeconds(2)).apply()).hasSameSizeAs(Migration.known());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stores_that_start_at_once_in_an_empty_database_apply_each_migration_once(boolean schemaIsThere)
            throws Exception {
        if (schemaIsThere) {
            database.execute("CREATE SCHEMA " + database.schema());
        }
        int stores = 6;
        ExecutorService threads = Executors.newFixedThreadPool(stores);
        List<String> applied = new ArrayList<>();
        try {
            CyclicBarrier together = new CyclicBarrier(stores);
            List<Future<List<String>>> started = new ArrayList<>();
            for (int i = 0; i < stores; i++) {
                started.add(threads.submit(() -> {
                    together.await();
                    return migrator(Duration.ofMinutes(1)).apply();
                }));
            }
            for (Future<List<String>> one : started) {
                applied.addAll(one.get());
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(applied)
                .containsExactlyInAnyOrderElementsOf(
                        Migration.known().stream().map(Migration::toString).toList());
    }

    private static int process(Connection connection) throws SQLException {
        return connection.unwrap(org.postgresql.PGConnection.class).getBackendPID();
    }

    private long indexes(String segment) throws SQLException {
        return database.number("SELECT count(*) FROM pg_indexes WHERE schemaname = '" + database.schema()
                + "' AND tablename = '" + segment + "' AND indexname LIKE '%\\_by\\_%'");
    }

    private PostgresMigrator migrator(Duration wait, Migration... more) {
        List<Migration> known =
                Stream.concat(Migration.known().stream(), Stream.of(more)).toList();
        return new PostgresMigrator(new Jdbc(database.dataSource(), database.schema()), database.config(), known, wait);
    }
}
