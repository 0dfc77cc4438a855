package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.StoredEvent;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operate;
import io.postrider.policy.RetryPolicy;
import io.postrider.policy.Start;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Blanks in the texts of an event are judged alike by Java and by every way of SQL; what a log has is delivered. */
class BlankTextTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final By BY = new By("ann", "a test");

    private static final List<String> TEXTS = List.of(
            "",
            " ",
            "   ",
            "\t",
            "\n\r\f\b",
            "\u0001",
            "\u007f",
            "\u0085",
            "\u00a0",
            "\u1680",
            "\u2003\u2007",
            "\u2028",
            "\u2029",
            "\u202f",
            "\u205f",
            "\u3000",
            " \u00a0\t\u3000 ",
            "a",
            " a",
            "a\u00a0b",
            "a\u0085",
            "\u2028a",
            "a\u3000b",
            "a\tb",
            "a b",
            "\u3000é",
            "é",
            "€",
            "日本",
            "\u180e",
            "\u200b",
            "\ufeff",
            "🐎",
            "\\",
            "\\t",
            "\"",
            "\"\"",
            "'",
            ":",
            "a\": 1, \"",
            "*",
            ">");

    private static final List<String> OLD_TYPES = List.of("old\u00a0type", "\u3000", "old\u0085");

    private static final List<String> WAYS = List.of(
            "SELECT {append}(?, '{}', ?, ?::json, ?)",
            "SELECT {append}(?, '{}', ?, ?::jsonb, ?)",
            "SELECT {append}(?, '{}', ?, ?::text, ?)",
            "SELECT {append}(?, '{}'::json, ?, ?::json, ?)",
            "SELECT {append}(?, '{}'::jsonb, ?, ?::text, ?)",
            "SELECT {append_events}(ARRAY[NULL::uuid], ARRAY[?], ARRAY[?], ARRAY['{}'], ARRAY[?], ARRAY[?],"
                    + " ARRAY[NULL::timestamptz], ARRAY[NULL::timestamptz], ARRAY[NULL::smallint])",
            "INSERT INTO {outbox} (type, payload, key, headers, tenant) VALUES (?, '{}', ?, ?::json, ?)",
            "INSERT INTO {outbox} (type, payload, key, headers, tenant) VALUES (?, '{}', ?, ?::jsonb, ?)",
            "INSERT INTO {outbox} (type, payload, key, headers, tenant) VALUES (?, '{}', ?, ?, ?)");

    private final TestDatabase database = new TestDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    /** The texts of an event; headers as JSON, and the name that they have. */
    private record Texts(
            String type, @Nullable String key, @Nullable String tenant, String name, String headers) {
        static final Texts PLAIN = new Texts("a", null, null, "a", "{}");

        Texts type(String text) {
            return new Texts(text, key, tenant, name, headers);
        }

        Texts key(String text) {
            return new Texts(type, text, tenant, name, headers);
        }

        Texts tenant(String text) {
            return new Texts(type, key, text, name, headers);
        }

        Texts header(String text, String json) {
            return new Texts(type, key, tenant, text, json);
        }

        @Nullable
        String javaAnswer() {
            try {
                Event event = Event.of(type, 1).header(name, "1");
                event = key == null ? event : event.key(key);
                event = tenant == null ? event : event.tenant(tenant);
                return null;
            } catch (IllegalArgumentException e) {
                return sentence(e);
            }
        }

        private static String sentence(Exception e) {
            String line = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            return line.replace("ERROR: ", "").replaceFirst("(?s), got .*", "");
        }
    }

    @Test
    void java_and_each_way_of_sql_take_and_refuse_the_same_texts_with_the_same_sentence() throws SQLException {
        database.store();
        List<String> differences = new ArrayList<>();
        int refused = 0;
        for (Texts texts : table()) {
            String expected = texts.javaAnswer();
            refused += expected == null ? 0 : 1;
            for (String way : WAYS) {
                String answer = sqlAnswer(way, texts);
                if (!String.valueOf(expected).equals(String.valueOf(answer))) {
                    differences.add(texts + " by " + way + ": " + answer + ", in Java: " + expected);
                }
            }
        }
        assertThat(differences).isEmpty();
        assertThat(refused).isBetween(50, table().size() - 50);
    }

    private static List<Texts> table() {
        List<Texts> table = new ArrayList<>();
        for (String text : TEXTS) {
            table.add(Texts.PLAIN.type(text));
            table.add(Texts.PLAIN.key(text));
            table.add(Texts.PLAIN.tenant(text));
            String name = Rows.json(Map.of(text, "1")).replaceAll("^\\{|:\"1\"}$", "");
            table.add(Texts.PLAIN.header(text, "{" + name + ":1}"));
            table.add(Texts.PLAIN.header(text, "{ \"b\": \"\",\n" + name + " : null}"));
            table.add(Texts.PLAIN.header(text, "{\"b\": \" \", " + name + "\n\t:\"" + "x".repeat(600) + "\"}"));
            table.add(Texts.PLAIN.header(text, "{\"" + escaped(text) + "\": {\"\": 1}}"));
        }
        return table;
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        text.chars().forEach(each -> escaped.append(String.format("\\u%04x", each)));
        return escaped.toString();
    }

    private @Nullable String sqlAnswer(String way, Texts texts) throws SQLException {
        try (Connection transaction = database.begin();
                var call = transaction.prepareStatement(way.replaceAll("\\{(\\w+)}", database.schema() + ".$1"))) {
            call.setString(1, texts.type());
            call.setString(2, texts.key());
            call.setString(3, texts.headers());
            call.setString(4, texts.tenant());
            call.execute();
            return null;
        } catch (SQLException e) {
            return Texts.sentence(e);
        }
    }

    @Test
    void every_character_is_blank_in_java_and_in_sql_or_in_neither() throws SQLException {
        database.store();
        StringBuilder blanks = new StringBuilder();
        for (int each = 1; each < 0xD800; each++) {
            if (!Headers.isName(Character.toString(each))) {
                blanks.append(blanks.length() == 0 ? "" : ",").append(each);
            }
        }
        database.execute("""
                CREATE FUNCTION {is_refused}(headers text) RETURNS boolean LANGUAGE plpgsql AS $$
                BEGIN
                    IF NOT {is_plain}('a', NULL, NULL, 2, headers, NULL, NULL, NULL) THEN
                        PERFORM {require_event}('a', NULL, NULL, 2, headers, NULL, NULL, NULL);
                    END IF;
                    RETURN false;
                EXCEPTION WHEN check_violation THEN
                    RETURN true;
                END $$
                """);
        assertThat(database.number("SELECT count(*) FROM generate_series(1, 55295) AS c"
                        + " WHERE {is_refused}(json_build_object(chr(c), 1)::text) <> (c IN (" + blanks + "))"))
                .isZero();
    }

    // ---- what is in the log already ---------------------------------------------------------------------------------

    @Test
    void old_events_with_blanks_are_delivered_replayed_and_edited() throws Exception {
        PostgresStore store = database.store();
        database.execute("""
                INSERT INTO {event_log} (id, type, key, payload, headers, lane, bytes)
                SELECT gen_random_uuid(), type, key, '{}', '{"": "x", " ": 1, "\\u00a0": 2, "a": "b"}',
                    {lane_of}(key, NULL), 2
                FROM (VALUES (U&'old\\00a0type', U&'\\00a0'), (U&'\\3000', 'k'), (U&'old\\0085', 'l')) AS e (type, key)
                """);
        Queue<StoredEvent> delivered = new ConcurrentLinkedQueue<>();
        AtomicBoolean mended = new AtomicBoolean();
        try (Postrider<Connection> node = Postrider.on(store, PostriderConfig.defaults())) {
            node.subscribe("old")
                    .on("**", (payload, context) -> {
                        if (!mended.get()) {
                            throw new IllegalStateException("not yet");
                        }
                        delivered.add(context.event());
                    })
                    .retry(RetryPolicy.DEFAULT.attempts(1))
                    .from(Start.beginning())
                    .start();
            Eventually.holds(SOON, () -> assertThat(dead(store)).hasSize(3));
            mended.set(true);
            for (Delivery each : dead(store)) {
                Operate.Edit edit = Operate.Edit.of(new EventId(UUID.randomUUID()));
                assertThat(
                                each.position().value() == 1
                                        ? store.operate().replay("old", each.position(), BY)
                                        : store.operate().edit("old", each.position(), edit, BY))
                        .isEqualTo(Operate.Answer.DONE);
            }
            Eventually.holds(SOON, () -> assertThat(delivered).hasSize(3));
        }
        assertThat(delivered).extracting(StoredEvent::type).containsExactlyInAnyOrderElementsOf(OLD_TYPES);
        assertThat(delivered)
                .allSatisfy(event -> assertThat(event.headers().values())
                        .containsEntry("a", "b")
                        .doesNotContainKeys("", " ", "\u00a0"));
    }

    private static List<Delivery> dead(PostgresStore store) {
        return store.browse().deliveries("old", Delivery.Status.DEAD, Position.ZERO, 10);
    }
}
