package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scripts are applied by psql as a database administrator would. */
class MigrationScriptTest {
    private static final String UP_TO_DATE = "is up to date";

    @TempDir
    Path folder;

    private final TestDatabase database = new TestDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_script_from_nothing_makes_a_schema_that_validate_accepts_and_a_second_run_changes_nothing()
            throws Exception {
        String script = PostgresMigrator.script(database.config());
        assertThat(psql(script)).isZero();
        migrator().validate();
        assertThat(migrator().script()).contains(UP_TO_DATE);
        long rows = rows();

        assertThat(psql(script)).isNotZero();
        assertThat(rows()).isEqualTo(rows);
        migrator().validate();
    }

    @Test
    void a_script_from_nothing_works_where_an_administrator_has_made_the_schema() throws Exception {
        database.execute("CREATE SCHEMA " + database.schema());
        assertThat(psql(PostgresMigrator.script(database.config()))).isZero();
        migrator().validate();
    }

    @Test
    void a_script_of_what_is_pending_ends_where_an_apply_would() throws Exception {
        assertThat(psql(migrator().script())).isZero();
        migrator().validate();
        assertThat(migrator().apply()).isEmpty();
    }

    @Test
    void a_script_of_one_more_migration_ends_where_an_apply_would() throws Exception {
        migrator().apply();
        PostgresMigrator behind = new PostgresMigrator(
                new Jdbc(database.dataSource(), database.schema()),
                database.config(),
                Stream.concat(
                                Migration.known().stream(),
                                Stream.of(Migration.of("V999__more.sql", "CREATE TABLE ${schema}.more ();")))
                        .toList());
        assertThat(psql(behind.script())).isZero();
        behind.validate();
        assertThat(rows()).isEqualTo(Migration.known().size() + 1L);
    }

    private PostgresMigrator migrator() {
        return PostgresMigrator.on(database.dataSource(), database.config());
    }

    private long rows() throws SQLException {
        return database.number("SELECT count(*) FROM {migration_history}");
    }

    private int psql(String script) throws IOException, InterruptedException {
        EmbeddedPostgres server = TestDatabase.server();
        Path file = Files.writeString(folder.resolve("migrate.sql"), script);
        ProcessBuilder psql = new ProcessBuilder(
                "psql", "-X", "-q", "-f", file.toString(), server.jdbcUrl().replace("jdbc:", ""));
        psql.environment().put("PGUSER", server.user());
        psql.environment().put("PGPASSWORD", server.password());
        psql.environment().put("LC_ALL", "C");
        Process process = psql.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        System.out.print(output);
        return status;
    }
}
