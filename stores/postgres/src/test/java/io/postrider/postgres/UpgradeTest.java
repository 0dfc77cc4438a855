package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Counts;
import io.postrider.Ledger;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Data that an earlier version has left is taken over. */
class UpgradeTest {
    private final TestDatabase database = new TestDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_log_of_the_first_version_goes_on() throws SQLException {
        migrateTo(1);
        database.execute("SELECT {append}('paid', '{}', key => 'ann')");
        PostgresStore store = database.store();
        database.execute("SELECT {append}('paid', '{}', key => 'ann')");
        store.prune(Duration.ZERO);
        assertThat(database.number("SELECT count(DISTINCT lane) FROM {outbox}")).isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM {outbox}")).isEqualTo(2);
        assertThat(database.number("SELECT count(*) FROM {gap}")).isZero();
    }

    @Test
    void what_an_operator_had_decided_and_no_owner_had_counted_is_counted() throws SQLException {
        migrateTo(2);
        database.execute("INSERT INTO {subscription} (name, filter) VALUES ('s', '')");
        database.execute("INSERT INTO {lane} (subscription, lane) SELECT 's', generate_series(0, 15)");
        database.execute("""
                INSERT INTO {settlement} (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                    delivered, skipped, parked, dead, expired, discarded)
                SELECT 's', lane, 0, 1, 4, '1:1:', '1', 4, 0, 0, 0, CASE WHEN lane = 3 THEN 3 ELSE 0 END, 0, 0
                FROM {lane}
                """);
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, status, attempt, due_at, suspect)
                SELECT 's', 3, position, gen_random_uuid(), 'paid', status, 1, now(), false
                FROM (VALUES (1, 'dead'), (2, 'retrying'), (3, 'discarded')) AS row (position, status)
                """);
        assertThat(database.store().ledger("s")).isEqualTo(new Ledger(new Counts(0, 0, 1, 1, 0, 1), 0));
        assertThat(database.number("SELECT count(*) FROM {delivery}")).isEqualTo(2);
    }

    private void migrateTo(int version) {
        List<Migration> known = Migration.known().stream()
                .filter(migration -> migration.version() <= version)
                .toList();
        Jdbc jdbc = new Jdbc(database.dataSource(), database.schema());
        new PostgresMigrator(jdbc, database.config(), known).apply();
    }
}
