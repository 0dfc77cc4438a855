package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PGobject;

/**
 * Payload and headers as the drivers of other languages send them: with the type json, jsonb, text, varchar or none.
 */
class ClientTypesTest {
    private static final String JSON = "'{\"a\": \"b\"}'";

    private final TestDatabase database = new TestDatabase();

    @BeforeEach
    void migrate() {
        database.store();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "::json", "::jsonb", "::text", "::varchar"})
    void the_function_takes_literals_of_every_type(String payload) throws SQLException {
        for (String headers : new String[] {"", "::json", "::jsonb", "::text", "::varchar"}) {
            String given = JSON + payload + ", 'k', " + JSON + headers;
            database.execute("SELECT {append}('typed', " + given + ")");
            database.execute("SELECT {append}(payload => " + JSON + payload + ", type => 'typed', headers => " + JSON
                    + headers + ")");
        }
        database.execute(
                "SELECT {append}(payload => " + JSON + payload + ", type => 'typed', key => 'k', tenant => 't')");
        database.execute("SELECT {append}('typed', " + JSON + payload + ", priority => 3)");
        database.execute("SELECT {append}('typed', " + JSON + payload
                + ", headers => NULL, expires_at => now() + interval '1 day')");
        assertEvents(13);
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown", "json", "jsonb", "text", "varchar"})
    void the_function_and_the_view_take_parameters_of_every_type(String type) throws SQLException {
        String declared = type.equals("unknown") ? "" : "(text, " + type + ", text, " + type + ")";
        database.execute("PREPARE f" + declared + " AS SELECT {append}($1, $2, $3, $4);" + " EXECUTE f('typed', " + JSON
                + ", 'k', " + JSON + "); EXECUTE f('typed', " + JSON + ", NULL, NULL); DEALLOCATE f");
        database.execute(
                "PREPARE n" + declared + " AS SELECT {append}(headers => $4, key => $3, payload => $2, type => $1);"
                        + " EXECUTE n('typed', " + JSON + ", 'k', " + JSON + "); DEALLOCATE n");
        database.execute("PREPARE v" + declared
                + " AS INSERT INTO {outbox} (type, payload, key, headers) VALUES ($1, $2, $3, $4);"
                + " EXECUTE v('typed', " + JSON + ", 'k', " + JSON + "); EXECUTE v('typed', " + JSON
                + ", NULL, NULL); DEALLOCATE v");
        assertEvents(5);
    }

    @Test
    void jdbc_sends_strings_objects_and_values_of_its_own() throws SQLException {
        PGobject jsonb = new PGobject();
        jsonb.setType("jsonb");
        jsonb.setValue("{\"a\": \"b\"}");
        for (String sql : new String[] {
            "SELECT {append}(?, ?, headers => ?)", "INSERT INTO {outbox} (type, payload, headers) VALUES (?, ?, ?)"
        }) {
            try (Connection connection = database.dataSource().getConnection();
                    var statement = connection.prepareStatement(
                            sql.replace("{", database.schema() + ".").replace("}", ""))) {
                statement.setString(1, "typed");
                statement.setString(2, "{\"a\": \"b\"}");
                statement.setString(3, "{\"a\": \"b\"}");
                statement.execute();
                statement.setObject(2, "{\"a\": \"b\"}", Types.OTHER);
                statement.setObject(3, "{\"a\": \"b\"}", Types.OTHER);
                statement.execute();
                statement.setObject(2, jsonb);
                statement.setObject(3, jsonb);
                statement.execute();
                statement.setNull(3, Types.OTHER);
                statement.execute();
            }
        }
        assertEvents(8);
    }

    @Test
    void a_payload_of_another_type_is_refused_with_its_name() {
        assertThatThrownBy(() -> database.execute("SELECT {append}('typed', 5)"))
                .hasMessageContaining("an event's payload is of type json, jsonb or text, got integer");
    }

    private void assertEvents(int count) throws SQLException {
        assertThat(database.number("SELECT count(*) FROM {event_log} WHERE type = 'typed' AND payload ->> 'a' = 'b'"))
                .isEqualTo(count);
    }
}
