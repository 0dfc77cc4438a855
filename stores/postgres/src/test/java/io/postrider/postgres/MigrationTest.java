package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files of the migrations, and how they are read. */
class MigrationTest {
    private static final Path FOLDER = Path.of("src/main/resources/io/postrider/postgres/migrations");

    @Test
    void the_index_names_every_file_of_the_folder_and_no_other() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            List<String> there = files.map(file -> file.getFileName().toString())
                    .filter(file -> !file.equals("index"))
                    .sorted()
                    .toList();
            assertThat(Migration.known().stream().map(Migration::file).sorted())
                    .as("files named in " + FOLDER.resolve("index"))
                    .isEqualTo(there);
        }
    }

    @Test
    void no_two_migrations_have_the_same_number() {
        assertThat(Migration.known().stream().map(Migration::version)).doesNotHaveDuplicates();
    }

    @Test
    void a_checksum_is_the_same_whatever_ends_the_lines_and_another_for_any_other_text() {
        Migration first = Migration.known().get(0);
        Migration changed = Migration.of(first.file(), first.text() + " ");
        assertThat(changed.checksum()).isNotEqualTo(first.checksum());
        Migration elsewhere = Migration.of(first.file(), first.text().replace("\n", "\r\n"));
        assertThat(elsewhere.checksum()).isEqualTo(first.checksum());
    }

    @Test
    void a_migration_serves_the_code_that_it_declares_and_otherwise_none_that_is_older() {
        assertThat(Migration.of("V12__a.sql", "-- More.\n-- serves: 10\nSELECT 1")
                        .serves())
                .isEqualTo(10);
        assertThat(Migration.of("V12__a.sql", "SELECT 1 -- serves: 10").serves())
                .isEqualTo(12);
    }

    @Test
    void a_file_with_another_name_is_refused() {
        assertThatThrownBy(() -> Migration.of("U1__undo.sql", ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("V<number>__<description>.sql")
                .hasMessageContaining("U1__undo.sql");
    }

    @Test
    void a_script_is_split_at_the_semicolons_that_end_statements() {
        String script = """
                -- one; with a comment
                SELECT 'a;''b'; /* and ; */
                CREATE FUNCTION f() RETURNS int AS $body$ SELECT 1; $$;$$ $body$;

                SELECT "x;y", $1
                """;
        assertThat(SqlScript.parts(script))
                .containsExactly(
                        new SqlScript.Part(2, "SELECT 'a;''b'"),
                        new SqlScript.Part(3, "CREATE FUNCTION f() RETURNS int AS $body$ SELECT 1; $$;$$ $body$"),
                        new SqlScript.Part(5, "SELECT \"x;y\", $1"));
    }

    @Test
    void text_that_never_ends_is_one_statement() {
        assertThat(SqlScript.parts("SELECT 'a;b")).containsExactly(new SqlScript.Part(1, "SELECT 'a;b"));
        assertThat(SqlScript.parts("-- nothing;\n;;\n")).isEmpty();
    }
}
