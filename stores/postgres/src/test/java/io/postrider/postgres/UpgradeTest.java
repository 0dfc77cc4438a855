package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
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
        migrateTo("1");
        database.execute("SELECT {append}('paid', '{}', key => 'ann')");
        PostgresStore store = database.store();
        database.execute("SELECT {append}('paid', '{}', key => 'ann')");
        store.prune(Duration.ZERO);
        assertThat(database.number("SELECT count(DISTINCT lane) FROM {outbox}")).isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM {outbox}")).isEqualTo(2);
        assertThat(database.number("SELECT count(*) FROM {gap}")).isZero();
    }

    private void migrateTo(String version) {
        Migration.flyway(database.dataSource(), database.config())
                .target(version)
                .load()
                .migrate();
    }
}
