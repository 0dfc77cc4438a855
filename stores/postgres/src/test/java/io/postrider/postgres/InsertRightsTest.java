package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.operate.By;
import io.postrider.operate.Operate;
import io.postrider.policy.Start;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Roles that could write anything insert their events themselves; all others append by functions. */
class InsertRightsTest {
    private final TestDatabase database = new TestDatabase();
    private final Roles roles = new Roles(database);
    private final String owner = roles.owner();
    private final String appender = roles.appender();

    @AfterEach
    void drop() {
        roles.close();
        database.close();
    }

    @Test
    void an_event_is_the_same_whether_its_owner_inserts_it_or_a_function_does() throws SQLException {
        roles.grant("grant_append", appender);
        List<Event> events = List.of(
                Event.of("rights.plain", "ü"),
                Event.of("rights.keyed", 1).key("Ann Ü 😀"),
                Event.of("rights.more", "x".repeat(2_000))
                        .key("k")
                        .tenant("acme")
                        .header("a", "1")
                        .header("quoted", "\"ü\"\n"));
        for (String role : List.of(owner, appender)) {
            append(role, null, events);
        }
        String columns = "type, key, payload::text, headers::text, tenant, bytes,"
                + " CASE WHEN key IS NOT NULL THEN lane END, lane = {lane_of}(key, id)";
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(6);
        assertThat(database.number("SELECT count(*) FROM (SELECT DISTINCT " + columns + " FROM {event_log}) e"))
                .as("events that differ by more than their id")
                .isEqualTo(3);
    }

    @Test
    void the_copy_that_an_edit_appends_is_as_large_as_if_it_had_been_appended() throws SQLException {
        PostgresStore store = database.store();
        store.subscriptions().register("s", Start.beginning(), "**");
        append(
                owner,
                null,
                List.of(Event.of("rights.more", "ü").key("k").header("a", "1").header("quoted", "\"ü\"\n")));
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, status, attempt, due_at, suspect)
                SELECT 's', lane, position, id, type, 'dead', 1, now(), false FROM {event_log}
                """);
        Position position = new Position(database.number("SELECT max(position) FROM {event_log}"));
        Operate.Edit edit = Operate.Edit.of(new EventId(UUID.randomUUID()));
        assertThat(store.operate().edit("s", position, edit, new By("ann", "a test")))
                .isEqualTo(Operate.Answer.DONE);
        assertThat(database.number("""
                SELECT count(*) FROM {event_log}
                WHERE bytes = octet_length(payload::text) + octet_length(headers::text)
                """)).isEqualTo(2);
    }

    @Test
    void a_session_that_takes_the_role_of_an_appender_appends_by_the_functions() throws SQLException {
        roles.grant("grant_append", appender);
        database.execute("GRANT " + appender + " TO " + owner);
        append(owner, appender, List.of(Event.of("rights.taken", 1)));
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(1);
    }

    @Test
    void a_refused_insert_makes_way_for_the_functions() throws SQLException {
        roles.grant("grant_append", appender);
        database.execute("GRANT " + appender + " TO " + owner);
        PostgresStore store =
                PostgresStore.of(roles.as(owner), database.config().migrate(Migrate.NEVER));
        List<Event> one = List.of(Event.of("rights.taken", 1));
        append(store, owner, null, one);
        assertThatThrownBy(() -> append(store, owner, appender, one)).hasMessageContaining("permission denied");
        append(store, owner, appender, one);
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(2);
    }

    private void append(String role, @Nullable String taken, List<Event> events) throws SQLException {
        append(PostgresStore.of(roles.as(role), database.config().migrate(Migrate.NEVER)), role, taken, events);
    }

    private void append(PostgresStore store, String role, @Nullable String taken, List<Event> events)
            throws SQLException {
        try (Postrider<Connection> application = Postrider.on(store);
                Connection connection = roles.as(role).getConnection()) {
            connection.setAutoCommit(false);
            if (taken != null) {
                try (var statement = connection.createStatement()) {
                    statement.execute("SET ROLE " + taken);
                }
            }
            for (Event event : events) {
                application.outbox().append(connection, event);
            }
            connection.commit();
        }
    }
}
