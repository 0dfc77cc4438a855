package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.policy.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whatever value SQL can write is refused with a sentence, or its event comes to an end and its lane goes on. */
class AnyValueTest {
    private static final long SEED = 20_301;
    private static final int COMBINED = 150;

    private static final List<String> TEXTS = List.of(
            "NULL",
            "''",
            "' '",
            "E'\\t\\n'",
            "'a'",
            "'*'",
            "'a.*'",
            "'**'",
            "'>'",
            "'a b'",
            "E'a\\u0001b'",
            "E'\\u00a0'",
            "E'a\\u0085b'",
            "E'\\u2028\\u3000'",
            "'🐎'",
            "repeat('x', 255)",
            "repeat('🐎', 255)",
            "repeat('x', 256)",
            "repeat('x', 5000)",
            "'\\'",
            "'%'",
            "'a|b)(['",
            "U&'\\FFFF'");
    private static final List<String> TIMES = List.of(
            "NULL",
            "'infinity'",
            "'-infinity'",
            "'4713-01-01 BC'",
            "'0001-01-01+00'",
            "'0001-01-01+00'::timestamptz - interval '1 us'",
            "'9999-12-31 23:59:59.999999+00'",
            "'10000-01-01+00'",
            "'294276-01-01'",
            "now()",
            "now() + interval '1 us'",
            "now() - interval '1 day'");
    private static final List<String> PAYLOADS = List.of(
            "NULL",
            "'null'",
            "'{}'",
            "''",
            "'{'",
            "'\"\\u0000\"'",
            "'\"\\ud800\"'",
            "'1e999999'",
            "to_json(repeat('x', 1048574))",
            "to_json(repeat('x', 1048575))",
            "(repeat('[', 3000) || repeat(']', 3000))",
            "'{\"a\": 1, \"a\": 2}'::jsonb",
            "'\"🐎\"'::text");
    private static final List<String> HEADERS = List.of(
            "NULL",
            "'{}'",
            "'[]'",
            "'null'",
            "'\"x\"'",
            "'{\"\": \"x\"}'",
            "'{\" \": 1}'",
            "'{\"\\t\\n\" : null}'",
            "'{\"a\": \"\", \"\\u00a0\": 1}'",
            "'{\"userId\": {\"a\": [1]}}'",
            "'{\"a\": null}'",
            "'{\"a\": \"\\u0000\"}'",
            "'{\"a\": \"\\ud800\"}'",
            "'{\"\\u0000\": 1}'",
            "json_build_object('userId', repeat('x', 3000))",
            "json_build_object('userId', repeat('🐎', 512))",
            "json_build_object('a', repeat('x', 8193))",
            "json_build_object('correlationId', repeat('🐎', 512), 'onlyFor', 'nobody')",
            "json_build_object('traceparent', '00-x')",
            "(SELECT json_object_agg(n, n) FROM generate_series(1, 101) n)",
            "(SELECT json_object_agg(n, repeat('é', 400)) FROM generate_series(1, 80) n)");
    private static final List<String> PRIORITIES = List.of("NULL", "-101", "-100", "0", "100", "101", "32767");

    private static final List<String> COLUMNS =
            List.of("type", "key", "tenant", "payload", "headers", "deliver_at", "expires_at", "priority");
    private static final List<List<String>> VALUES =
            List.of(TEXTS, TEXTS, TEXTS, PAYLOADS, HEADERS, TIMES, TIMES, PRIORITIES);
    private static final List<String> PLAIN = List.of("'a'", "NULL", "NULL", "'{}'", "'{}'", "NULL", "NULL", "NULL");

    private final TestDatabase database = new TestDatabase();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private int refused;

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void every_value_is_refused_with_a_sentence_or_its_event_ends_and_the_lanes_go_on() throws Exception {
        PostgresStore store = database.store();
        for (List<String> values : combinations()) {
            append("SELECT {append}(" + named(values) + ")", values);
            append(
                    "INSERT INTO {outbox} (" + String.join(", ", COLUMNS) + ") VALUES (" + String.join(", ", values)
                            + ")",
                    values);
        }
        assertThat(refused).isPositive();
        try (Postrider<Connection> node = Postrider.on(store, PostriderConfig.defaults())) {
            node.subscribe("any")
                    .on("**", (payload, context) -> {
                        delivered.add(context.type());
                        if (context.event().position().value() % 3 == 0) {
                            throw new IllegalStateException("every third is buried");
                        }
                    })
                    .retry(RetryPolicy.DEFAULT.attempts(1))
                    .start();
            for (int lane = 0; lane < 16; lane++) {
                database.execute("SELECT {append}('last.one', '{}', (SELECT min(k::text) FROM generate_series(1, 200) k"
                        + " WHERE {lane_of}(k::text, NULL) = " + lane + "))");
            }
            Eventually.holds(
                    Duration.ofSeconds(60),
                    () -> assertThat(ended())
                            .as("last events of lanes, less those that wait for their time")
                            .isEqualTo(0));
        }
        store.prune().prune(Duration.ZERO);
    }

    /** Events that have neither been settled nor wait for a time that is far away. */
    private long ended() throws SQLException {
        return database.number("SELECT count(*) FROM {event_standing} WHERE standing IN ('pending', 'running')"
                + " OR (standing = 'waiting' AND due_at < now())");
    }

    /** Every value by itself, and then some of all together. */
    private static List<List<String>> combinations() {
        List<List<String>> all = new ArrayList<>();
        for (int column = 0; column < COLUMNS.size(); column++) {
            for (String value : VALUES.get(column)) {
                List<String> values = new ArrayList<>(PLAIN);
                values.set(column, value);
                all.add(values);
            }
        }
        Random random = new Random(SEED);
        for (int i = 0; i < COMBINED; i++) {
            all.add(VALUES.stream()
                    .map(values -> values.get(random.nextInt(values.size())))
                    .toList());
        }
        return all;
    }

    private static String named(List<String> values) {
        List<String> arguments = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            arguments.add(COLUMNS.get(i) + " => " + values.get(i));
        }
        return String.join(", ", arguments);
    }

    private void append(String sql, List<String> values) {
        try {
            database.execute(sql);
        } catch (SQLException e) {
            refused++;
            String sentence = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            assertThat(sentence)
                    .as(values.toString())
                    .matches("(?s)ERROR: (an event|a priority|a header|the header|the text given).*");
            assertThat(e.getSQLState()).as(values.toString()).isIn("23514", "22P02");
        }
    }
}
