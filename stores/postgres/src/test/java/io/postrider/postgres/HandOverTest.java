package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The script of docs/guides/rights.md that gives a schema, which a superuser has made, to a role of its own. */
class HandOverTest {
    private static final Path RIGHTS = Path.of("..", "..", "docs", "guides", "rights.md");

    private final TestDatabase database = new TestDatabase();
    private final String owner = "heir_" + database.schema();
    private final String engine = "engine_of_" + owner;

    @BeforeEach
    void migrate() throws SQLException {
        PostgresStore.of(database.dataSource(), database.config());
        database.execute("CREATE ROLE " + owner);
        database.execute("CREATE ROLE " + engine);
    }

    @AfterEach
    void drop() throws SQLException {
        database.execute("DROP SCHEMA " + database.schema() + " CASCADE");
        database.execute("DROP ROLE " + engine);
        database.execute("DROP ROLE " + owner);
        database.close();
    }

    @Test
    void a_schema_of_a_superuser_is_handed_over_whole_and_then_has_engines() throws Exception {
        String grant = "SELECT {grant_engine}('" + engine + "')";
        assertThatThrownBy(() -> database.execute(grant)).hasMessageContaining("a superuser");

        database.execute(script());

        assertThat(database.number("""
                SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = n.oid AND relowner <> r.oid)
                    + (SELECT count(*) FROM pg_proc WHERE pronamespace = n.oid AND proowner <> r.oid)
                    + (n.nspowner <> r.oid)::integer
                FROM pg_namespace n, pg_roles r WHERE n.nspname = '%s' AND r.rolname = '%s'
                """.formatted(database.schema(), owner))).isZero();
        database.execute(grant);
    }

    private String script() throws IOException {
        var found = Pattern.compile("```sql\n(DO .*?)```", Pattern.DOTALL).matcher(Files.readString(RIGHTS));
        assertThat(found.find()).isTrue();
        return found.group(1).replace("postrider_owner", owner).replace("postrider", database.schema());
    }
}
