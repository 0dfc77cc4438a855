package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.policy.Start;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The number of lanes is chosen when a schema is made, and kept with it. */
class LogLanesTest {
    private final TestDatabase database = new TestDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 64, 100, 255, 256})
    void sql_computes_the_same_lanes_as_java_among_so_many(int lanes) throws SQLException {
        store(lanes);
        try (Connection connection = database.dataSource().getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                        SELECT key, id, %1$s.lane_of(key, id), max(%1$s.lane_of(key, id)) OVER ()
                        FROM (SELECT CASE WHEN n %% 2 = 0 THEN 'key ä ' || n END AS key, gen_random_uuid() AS id
                            FROM generate_series(1, 4000) AS n) AS e
                        """.formatted(database.schema()))) {
            while (row.next()) {
                EventId id = new EventId(row.getObject(2, UUID.class));
                assertThat(new Lane(row.getInt(3))).isEqualTo(Lane.of(row.getString(1), id, lanes));
                assertThat(row.getInt(4)).isEqualTo(lanes - 1);
            }
        }
    }

    @Test
    void a_store_that_names_no_number_takes_what_the_log_has() throws SQLException {
        store(64);
        PostgresStore store = database.store();
        assertThat(store.lanes()).isEqualTo(64);
        store.subscriptions().register("s", Start.beginning(), "**");
        assertThat(database.number("SELECT count(*) FROM {lane}")).isEqualTo(64);
    }

    @Test
    void a_store_that_names_another_number_than_the_log_has_is_refused() {
        database.store();
        for (Migrate migrate : new Migrate[] {Migrate.APPLY, Migrate.VALIDATE}) {
            assertThatThrownBy(() -> PostgresStore.of(
                            database.dataSource(), database.config().lanes(64).migrate(migrate)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("schema '" + database.schema() + "' has 16 lanes")
                    .hasMessageContaining("configured for 64")
                    .hasMessageContaining("in a schema of its own");
        }
        PostgresStore unlooked = PostgresStore.of(
                database.dataSource(), database.config().lanes(64).migrate(Migrate.NEVER));
        assertThatThrownBy(unlooked::lanes)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("configured for 64");
    }

    @Test
    void a_store_that_names_the_number_that_the_log_has_starts() {
        assertThat(store(32).lanes()).isEqualTo(32);
        assertThat(store(32).lanes()).isEqualTo(32);
    }

    @Test
    void a_script_makes_a_log_with_the_number() {
        assertThat(PostgresMigrator.script(database.config().lanes(48))).contains("SELECT 48\n");
        assertThat(PostgresMigrator.script(database.config())).contains("SELECT 16\n");
    }

    private PostgresStore store(int lanes) {
        return PostgresStore.of(database.dataSource(), database.config().lanes(lanes));
    }
}
