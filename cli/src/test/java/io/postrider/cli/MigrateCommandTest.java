package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.postgres.PostgresMigrator;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The command as an operator runs it. */
class MigrateCommandTest {
    private static final int LAST = PostgresMigrator.codeVersion();

    @SuppressWarnings("NullAway.Init")
    private static EmbeddedPostgres server;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeAll
    static void startServer() {
        server = EmbeddedPostgres.temporary(Map.of("fsync", "off"));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void a_dry_run_tells_and_changes_nothing_and_a_run_does_it_once() {
        assertThat(run(environment(), "migrate", "--dry-run", "--schema", "orders"))
                .isZero();
        assertThat(out.toString())
                .startsWith("Schema 'orders' has version 0, would run:")
                .contains("V1 (the schema of a log)");
        assertThat(run(environment(), "migrate", "--schema", "orders")).isZero();
        assertThat(out.toString())
                .startsWith("applied V1 (the schema of a log)")
                .contains("Schema 'orders' has version " + LAST);
        assertThat(run(environment(), "migrate", "--dry-run", "--schema", "orders"))
                .isZero();
        assertThat(out.toString()).contains("has version " + LAST + ": nothing to do");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void the_script_is_printed_with_and_without_a_database() {
        assertThat(run(environment(), "migrate", "--sql", "--schema", "scripted"))
                .isZero();
        String script = out.toString();
        assertThat(script)
                .contains("to_regnamespace('scripted') IS NULL", "CREATE SCHEMA scripted;")
                .contains("CREATE TABLE scripted.", "COMMIT;");
        assertThat(run(Map.of(), "migrate", "--sql", "--schema", "scripted")).isZero();
        assertThat(out.toString()).isEqualTo(script);
    }

    @Test
    void a_number_of_lanes_is_that_of_the_log_that_is_made_and_another_one_is_refused_later() {
        assertThat(run(environment(), "migrate", "--schema", "wide", "--lanes", "64"))
                .isZero();
        assertThat(run(environment(), "migrate", "--schema", "wide")).isZero();
        assertThat(run(environment(), "migrate", "--schema", "wide", "--lanes", "32"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("has 64 lanes", "configured for 32");
        assertThat(run(environment(), "migrate", "--schema", "narrow", "--lanes", "3"))
                .isEqualTo(2);
    }

    @Test
    void a_missing_address_is_named() {
        assertThat(run(Map.of(), "migrate")).isEqualTo(2);
        assertThat(err.toString()).contains("POSTRIDER_DATABASE_URL", "jdbc:postgresql://localhost:5432/app");
    }

    @Test
    void another_kind_of_address_is_refused_without_its_password() {
        assertThat(run(Map.of("POSTRIDER_DATABASE_URL", "postgres://ann:secret@host/app"), "migrate"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("is a JDBC URL").contains("postgres://***@host/app");
        assertThat(err.toString()).doesNotContain("secret");
    }

    @Test
    void a_server_that_does_not_answer_is_named() {
        Map<String, String> nobody = Map.of("POSTRIDER_DATABASE_URL", "jdbc:postgresql://localhost:1/app");
        assertThat(run(nobody, "migrate")).isEqualTo(3);
        assertThat(err.toString()).contains("no connection to PostgreSQL").doesNotContain("\tat ");
    }

    @Test
    void a_role_without_rights_is_told_so() throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password());
                var statement = connection.createStatement()) {
            statement.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'");
        }
        Map<String, String> guest = Map.of(
                "POSTRIDER_DATABASE_URL", server.jdbcUrl(),
                "POSTRIDER_DATABASE_USER", "guest",
                "POSTRIDER_DATABASE_PASSWORD", "guest");
        assertThat(run(guest, "migrate", "--schema", "forbidden")).isEqualTo(4);
        assertThat(err.toString()).contains("lacks a right", "owner of schema 'forbidden'");
    }

    @Test
    void a_name_that_cannot_be_a_schema_and_options_that_contradict_each_other_are_wrong_usage() {
        assertThat(run(environment(), "migrate", "--schema", "No Such")).isEqualTo(2);
        assertThat(err.toString()).contains("a schema's name has lower-case letters");
        assertThat(run(environment(), "migrate", "--sql", "--dry-run")).isEqualTo(2);
        assertThat(run(environment())).isEqualTo(2);
    }

    private static Map<String, String> environment() {
        return Map.of(
                "POSTRIDER_DATABASE_URL", server.jdbcUrl(),
                "POSTRIDER_DATABASE_USER", server.user(),
                "POSTRIDER_DATABASE_PASSWORD", server.password());
    }

    private int run(Map<String, String> environment, String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        CommandLine command = PostriderCommand.commandLine(environment)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err));
        return command.execute(arguments);
    }
}
