package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A role that may append has temporary types of the names that PostgreSQL's own have, each with a CHECK that calls a
 * function of the role's. No function or trigger of the schema, of whatever migration, runs that function as the owner.
 */
class TakeoverByNamesTest {
    private static final List<String> TYPES = List.of(
            "text",
            "json",
            "jsonb",
            "uuid",
            "regclass",
            "regtype",
            "timestamptz",
            "int8",
            "int4",
            "int2",
            "float8",
            "xid8",
            "bytea",
            "name",
            "bool");

    /**
     * Functions without a search_path of their own, so that they can be inlined or called cheaply. They run with the
     * rights of their caller, and their callers among the owner's functions have a safe search_path.
     */
    private static final Set<String> WITH_RIGHTS_OF_THE_CALLER =
            Set.of("is_plain", "lane_of", "lanes", "draw_id", "handled", "pattern", "fresh_events", "header");

    private final TestDatabase database = new TestDatabase();
    private final String role = "attacker_" + database.schema();

    @BeforeEach
    void createRole() throws SQLException {
        database.store();
        database.execute("CREATE ROLE " + role);
        database.execute("SELECT {grant_append}('" + role + "')");
    }

    @AfterEach
    void dropRole() throws SQLException {
        database.execute("DROP SCHEMA " + database.schema() + " CASCADE");
        database.execute("DROP OWNED BY " + role);
        database.execute("DROP ROLE " + role);
        database.close();
    }

    @Test
    void every_function_has_a_safe_search_path_or_the_rights_of_its_caller() throws SQLException {
        List<String> unsafe = names("""
                SELECT proname FROM pg_proc WHERE pronamespace = '%1$s'::regnamespace
                  AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)
                """);
        assertThat(unsafe)
                .as("a function needs SET search_path = pg_catalog, pg_temp")
                .isSubsetOf(WITH_RIGHTS_OF_THE_CALLER);
        assertThat(names("""
                SELECT proname FROM pg_proc WHERE pronamespace = '%1$s'::regnamespace AND prosecdef
                """)).isNotEmpty().doesNotContainAnyElementsOf(WITH_RIGHTS_OF_THE_CALLER);
    }

    @Test
    void nothing_is_granted_to_everyone() throws SQLException {
        assertThat(names("""
                SELECT proname FROM pg_proc CROSS JOIN aclexplode(coalesce(proacl, acldefault('f', proowner))) a
                WHERE pronamespace = '%1$s'::regnamespace AND a.grantee = 0
                """)).as("a function needs REVOKE ALL … FROM PUBLIC").isEmpty();
        assertThat(names("""
                SELECT relname FROM pg_class CROSS JOIN aclexplode(relacl) a
                WHERE relnamespace = '%1$s'::regnamespace AND a.grantee = 0
                """))
                .as("everyone may see which migrations there were")
                .containsExactly("migration_history");
    }

    @Test
    void no_call_of_any_function_runs_the_roles_own_as_the_owner() throws SQLException {
        database.execute("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA " + database.schema() + " TO " + role);
        List<String> calls = names("""
                SELECT format('SELECT %1$s.%%I(%%s)', p.proname, coalesce((SELECT string_agg(
                    'NULL::pg_catalog.' || CASE WHEN t.typtype = 'p' THEN 'jsonb' ELSE quote_ident(t.typname) END,
                        ', ' ORDER BY n)
                    FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS a (type, n)
                    JOIN pg_type t ON t.oid = a.type), ''))
                FROM pg_proc p WHERE p.pronamespace = '%1$s'::regnamespace AND p.prorettype <> 'trigger'::regtype
                """);
        assertThat(calls).hasSizeGreaterThan(10);
        for (String call : calls) {
            attack(call, false);
        }
    }

    @Test
    void no_append_runs_the_roles_own_function_as_the_owner() throws SQLException {
        attack("SELECT {append}('a', '{}', 'k', '{\"userId\": \"u\"}', 't', priority => 1)", true);
        attack(
                "SELECT {append}('a', '{}'::pg_catalog.jsonb, headers => '{\"a\": \"\\u0041\"}'::pg_catalog.json)",
                true);
        attack("SELECT {append_event}(NULL, 'a', 'k', '{}', '{}', NULL, now(), now() + interval '1 day', 3)", true);
        attack(
                "SELECT {append_events}(ARRAY[NULL]::pg_catalog.uuid[], ARRAY['a'], ARRAY['k'], ARRAY['1'],"
                        + " ARRAY['{}'],"
                        + " ARRAY['t'], ARRAY[now()], ARRAY[now() + interval '1 day'], ARRAY[1]::pg_catalog.int2[])",
                true);
        attack("INSERT INTO {outbox} (type, key, payload, headers) VALUES ('a', 'k', '{}', '{\"a\": \"b\"}')", true);
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(5);
    }

    /** What is tried here does succeed where a function is not safe. */
    @Test
    void an_unsafe_function_would_be_taken_over() throws SQLException {
        database.execute("""
                CREATE FUNCTION {unsafe}() RETURNS text LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog
                AS 'SELECT 1::text'
                """);
        assertThatThrownBy(() -> attack("SELECT {unsafe}()", true)).hasMessageContaining("taken over");
    }

    /** As the role, with its types. What the call itself comes to matters only where it must succeed. */
    private void attack(String call, boolean succeeds) throws SQLException {
        try (Connection connection = database.begin();
                var statement = connection.createStatement()) {
            String owner = names("SELECT current_user::text").get(0);
            statement.execute("SET LOCAL ROLE " + role);
            statement.execute("""
                    CREATE FUNCTION pg_temp.taken() RETURNS pg_catalog.bool LANGUAGE plpgsql AS $$
                    BEGIN
                        IF current_user = '%s' THEN RAISE EXCEPTION 'taken over' USING ERRCODE = 'ZZZZZ'; END IF;
                        RETURN true;
                    END $$
                    """.formatted(owner));
            for (String type : TYPES) {
                statement.execute(
                        "CREATE DOMAIN pg_temp." + type + " AS pg_catalog." + type + " CHECK (pg_temp.taken())");
            }
            try {
                statement.execute(call.replaceAll("\\{(\\w+)}", database.schema() + ".$1"));
                connection.commit();
            } catch (SQLException e) {
                connection.rollback();
                if (succeeds || "ZZZZZ".equals(e.getSQLState())) {
                    throw e;
                }
            } finally {
                statement.execute("DISCARD TEMP");
                connection.commit();
            }
        }
    }

    private List<String> names(String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql.contains("%1$s") ? sql.formatted(database.schema()) : sql)) {
            List<String> names = new ArrayList<>();
            while (row.next()) {
                names.add(row.getString(1));
            }
            return names;
        }
    }
}
