package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Schemas that development versions before 0.1 have left are refused with what to do, and left alone. */
class DevelopmentSchemaTest {
    private final TestDatabase database = new TestDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_schema_with_many_migrations_of_that_time_is_refused_by_every_way_in() throws SQLException {
        database.store();
        database.execute("UPDATE {migration_history} SET checksum = 1579586868, description = 'log cursors'");
        database.execute("""
                INSERT INTO {migration_history} (version, description, checksum, serves)
                SELECT version, 'a step of that time', version, 36 FROM generate_series(2, 45) AS version
                """);
        PostgresMigrator migrator = PostgresMigrator.on(database.dataSource(), database.config());
        assertRefused(database::store);
        assertRefused(migrator::validate);
        assertRefused(migrator::pending);
        assertRefused(migrator::script);
        assertThat(database.number("SELECT count(*) FROM {migration_history}")).isEqualTo(45);
    }

    @Test
    void a_schema_with_another_first_migration_is_refused() throws SQLException {
        database.store();
        database.execute("UPDATE {migration_history} SET checksum = checksum + 1 WHERE version = 1");
        assertRefused(database::store);
    }

    @Test
    void a_schema_whose_history_another_tool_has_kept_is_refused() throws SQLException {
        database.execute("CREATE SCHEMA " + database.schema());
        database.execute("CREATE TABLE {outbox_log} (); CREATE TABLE {postrider_schema_history} ()");
        assertRefused(database::store);
        assertThat(database.texts("SELECT relname FROM pg_class WHERE relnamespace = '" + database.schema()
                        + "'::regnamespace AND relkind = 'r' ORDER BY relname"))
                .containsExactly("outbox_log", "postrider_schema_history");
    }

    @Test
    void a_schema_with_a_log_of_that_time_and_no_history_is_refused() throws SQLException {
        database.execute("CREATE SCHEMA " + database.schema());
        database.execute("CREATE TABLE {outbox_log} ()");
        assertRefused(database::store);
    }

    private void assertRefused(ThrowingCallable start) {
        assertThatThrownBy(start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("schema '" + database.schema() + "' is from a development version")
                .hasMessageContaining("before 0.1")
                .hasMessageContaining("DROP SCHEMA " + database.schema() + " CASCADE")
                .hasMessageContaining("delete .postrider");
    }
}
