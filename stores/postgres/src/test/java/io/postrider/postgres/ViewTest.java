package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventFilter;
import io.postrider.Lane;
import io.postrider.StoredEvent;
import io.postrider.operate.By;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Search;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.Cursor;
import io.postrider.store.Page;
import io.postrider.store.Park;
import io.postrider.store.Renew;
import io.postrider.store.Settlement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The log in the shapes that others know: each event is in each view once per subscription that takes it. */
class ViewTest {
    private static final String SUBSCRIPTION = "views";

    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void an_event_is_pending_then_published() throws SQLException {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "**");
        append("chat.posted", "session-1");
        assertThat(rows("SELECT status, published_at IS NULL, retry_count FROM {event_outbox}"))
                .containsExactly("pending|t|0");
        assertThat(rows("SELECT processed, processed_at IS NULL FROM {outbox_events}"))
                .containsExactly("f|t");
        settle(List.of(), 1);
        assertThat(rows("SELECT status, published_at >= created_at, retry_count FROM {event_outbox}"))
                .containsExactly("published|t|0");
        assertThat(rows("SELECT processed, processed_at >= created_at FROM {outbox_events}"))
                .containsExactly("t|t");
        assertThat(rows("SELECT status, attempt FROM {event_handling}")).containsExactly("processed|1");
    }

    @Test
    void the_columns_have_what_the_event_has() throws SQLException {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "**");
        database.execute("SELECT {append}('chat.posted', '{\"n\": 1}', key => 'session-1', tenant => 'project-1',"
                + " headers => '{\"userId\": \"ann\"}')");
        database.execute(
                "SELECT {append}('posted', '{}', headers => '{\"aggregateType\": \"chat\", \"stream\": \"S\"}')");
        assertThat(rows("SELECT aggregate_type, aggregate_id, project_id, user_id, event_type, payload::text"
                        + " FROM {event_outbox} ORDER BY position"))
                .containsExactly(
                        "chat|session-1|project-1|ann|chat.posted|{\"n\": 1}", "chat|null|null|null|posted|{}");
        assertThat(rows("SELECT stream, topic, key FROM {outbox_events} ORDER BY position"))
                .containsExactly("chat|chat.posted|session-1", "S|posted|null");
        assertThat(rows("SELECT event_name, group_id, metadata ->> 'userId' FROM {event_handling} ORDER BY position"))
                .containsExactly("chat.posted|session-1|ann", "posted|null|null");
    }

    @Test
    void every_state_has_its_status_and_every_event_one_row() throws SQLException {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "**");
        for (String type : List.of("dead", "expired", "retried", "running", "delivered")) {
            append(type, "k");
        }
        List<StoredEvent> events = settle(
                List.of(
                        row -> row.dead(3, "broken"),
                        row -> row.expired(0),
                        row -> row.waiting(2, Instant.now(), "again"),
                        row -> row.running(1)),
                5);
        append("pending", "k");
        assertThat(rows("SELECT event_type, status, retry_count, last_error FROM {event_outbox} ORDER BY position"))
                .containsExactly(
                        "dead|failed|3|broken",
                        "expired|failed|0|null",
                        "retried|pending|2|again",
                        "running|pending|0|null",
                        "delivered|published|0|null",
                        "pending|pending|0|null");
        assertThat(rows("SELECT event_name, status FROM {event_handling} ORDER BY position"))
                .containsExactly(
                        "dead|failed",
                        "expired|failed",
                        "retried|pending",
                        "running|processing",
                        "delivered|processed",
                        "pending|pending");
        assertThat(rows("SELECT topic, error FROM {outbox_events} WHERE NOT processed AND error IS NOT NULL"
                        + " ORDER BY position"))
                .containsExactly("dead|broken", "retried|again");
        assertThat(store.operate()
                        .discard(SUBSCRIPTION, events.get(0).position(), new By("ann", ""))
                        .done())
                .isTrue();
        assertThat(rows("SELECT event_type FROM {event_outbox} WHERE event_type = 'dead'"))
                .isEmpty();
    }

    @Test
    void what_commits_late_is_pending_although_its_lane_has_passed_it() throws SQLException {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "**");
        try (Connection slow = database.begin()) {
            slow.createStatement().execute("SELECT " + database.schema() + ".append('late', '{}', key => 'k')");
            append("early", "k");
            settle(List.of(), 1);
            assertThat(rows("SELECT event_type, status FROM {event_outbox}")).containsExactly("early|published");
            slow.commit();
        }
        assertThat(rows("SELECT event_type, status FROM {event_outbox} ORDER BY position"))
                .containsExactly("late|pending", "early|published");
        settle(List.of(), 1);
        assertThat(rows("SELECT event_type, status FROM {event_outbox} ORDER BY position"))
                .containsExactly("late|published", "early|published");
    }

    @Test
    void a_subscription_has_rows_only_of_what_it_takes_and_since_it_began() throws SQLException {
        append("before", "k");
        store.subscriptions().register(SUBSCRIPTION, Start.end(), "a.* b c**");
        for (String type : List.of("a.x", "a.x.y", "b", "bb", "c.d.e", "axx")) {
            append(type, "k");
        }
        List<String> taken = List.of("a.x", "b", "c.d.e");
        assertThat(rows("SELECT event_type FROM {event_outbox} WHERE status = 'pending' ORDER BY position"))
                .isEqualTo(taken);
        settle(List.of(), 6);
        assertThat(rows("SELECT event_type FROM {event_outbox} WHERE status = 'published' ORDER BY position"))
                .isEqualTo(taken);
    }

    @Test
    void what_was_skipped_under_an_earlier_filter_is_skipped_in_every_view() throws SQLException {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "a");
        append("a", "k");
        append("b", "k");
        settle(List.of(), 2);
        assertThat(rows("SELECT event_type, status FROM {event_outbox}")).containsExactly("a|published");
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "b");
        append("b", "k");
        settle(List.of(), 1);
        append("b", "k");
        String byType = " ORDER BY position";
        assertThat(rows("SELECT event_type, status, published_at IS NULL, last_error FROM {event_outbox}" + byType))
                .containsExactly(
                        "a|published|f|null",
                        "b|skipped|t|skipped under the filter 'a'",
                        "b|published|f|null",
                        "b|pending|t|null");
        assertThat(rows("SELECT topic, processed, error FROM {outbox_events}" + byType))
                .containsExactly("a|t|null", "b|f|skipped under the filter 'a'", "b|t|null", "b|f|null");
        assertThat(rows("SELECT event_name, status FROM {event_handling}" + byType))
                .containsExactly("a|processed", "b|skipped", "b|processed", "b|pending");
        assertThat(rows("SELECT type FROM {event_delivered}" + byType)).containsExactly("a", "b");
        assertThat(rows("SELECT type, standing FROM {event_standing}" + byType))
                .containsExactly("a|delivered", "b|skipped", "b|delivered", "b|pending");
        assertThat(rows("SELECT type, filter FROM {event_skipped}")).containsExactly("b|a");
        assertThat(rows("SELECT type, {taken}('" + SUBSCRIPTION + "', lane, position, xid, type) FROM {event_log}"
                        + byType))
                .containsExactly("a|t", "b|f", "b|t", "b|t");
    }

    @Test
    void an_event_that_its_destination_skipped_is_skipped_until_it_is_delivered() throws SQLException {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "**");
        append("taken", "k");
        append("declined", "k");
        List<StoredEvent> events = settle(List.of(), 2);
        attempted(events.get(1), "skipped");
        String byPosition = " ORDER BY position";
        assertThat(rows("SELECT event_type, status, published_at IS NULL, last_error FROM {event_outbox}" + byPosition))
                .containsExactly("taken|published|f|null", "declined|skipped|t|skipped by its destination");
        assertThat(rows("SELECT topic, processed FROM {outbox_events}" + byPosition))
                .containsExactly("taken|t", "declined|f");
        assertThat(rows("SELECT event_name, status FROM {event_handling}" + byPosition))
                .containsExactly("taken|processed", "declined|skipped");
        assertThat(rows("SELECT type FROM {event_delivered}")).containsExactly("taken");
        assertThat(rows("SELECT type, filter FROM {event_skipped}")).containsExactly("declined|null");
        attempted(events.get(1), "skipped"); // replayed, and skipped again
        assertThat(rows("SELECT type, standing FROM {event_standing}" + byPosition))
                .containsExactly("taken|delivered", "declined|skipped");
        attempted(events.get(1), "delivered");
        assertThat(rows("SELECT type, standing FROM {event_standing}" + byPosition))
                .containsExactly("taken|delivered", "declined|delivered");
    }

    @Test
    void skips_of_a_destination_and_of_a_filter_stay_apart_when_the_filter_changes() throws SQLException {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "a b");
        append("a", "k");
        append("b", "k");
        List<StoredEvent> events = settle(List.of(), 2);
        attempted(events.get(0), "skipped");
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "a c");
        append("c", "k");
        settle(List.of(), 1);
        attempted(events.get(1), "skipped"); // it waited, and its filter had changed
        String byPosition = " ORDER BY position";
        assertThat(rows("SELECT type, filter FROM {event_skipped}" + byPosition))
                .containsExactly("a|null", "b|a c");
        assertThat(rows("SELECT event_type, status, last_error FROM {event_outbox}" + byPosition))
                .containsExactly(
                        "a|skipped|skipped by its destination",
                        "b|skipped|skipped under the filter 'a c'",
                        "c|published|null");
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "a b c");
        assertThat(rows("SELECT type, filter FROM {event_skipped}" + byPosition))
                .containsExactly("a|null", "b|a c");
    }

    @Test
    void an_event_for_another_subscription_alone_has_no_row_before_and_after_its_lane_passed_it() throws SQLException {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "**");
        database.execute("SELECT {append}('theirs', '{}', key => 'k', headers => '{\"onlyFor\": \"other\"}')");
        database.execute("SELECT {append}('ours', '{}', key => 'k', headers => '{\"onlyFor\": \"views\"}')");
        assertThat(rows("SELECT event_type, status FROM {event_outbox}")).containsExactly("ours|pending");
        settle(List.of(), 2);
        assertThat(rows("SELECT event_type, status FROM {event_outbox}")).containsExactly("ours|published");
        assertThat(rows("SELECT type FROM {event_skipped}")).isEmpty();
    }

    /** They are forgotten by and by, after the removal. */
    @Test
    void attempts_of_a_removed_subscription_say_nothing_about_a_later_one_of_its_name() throws SQLException {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "**");
        append("a", "k");
        append("b", "k");
        List<StoredEvent> events = settle(List.of(), 2);
        attempted(events.get(0), "skipped");
        attempted(events.get(1), "discarded");
        database.execute("UPDATE {attempt} SET at = at - interval '1 hour'");
        assertThat(rows("SELECT event_type, status FROM {event_outbox} ORDER BY position"))
                .containsExactly("a|published", "b|published");
        assertThat(rows("SELECT type FROM {event_skipped}")).isEmpty();
        assertThat(found(Search.State.DELIVERED)).containsExactly("b", "a");
        assertThat(found(Search.State.SKIPPED)).isEmpty();
    }

    private List<String> found(Search.State state) {
        return store.search().deliveries(SUBSCRIPTION, state, EventFilter.ALL, null, 10).events().stream()
                .map(StoredEvent::type)
                .toList();
    }

    private void attempted(StoredEvent event, String outcome) throws SQLException {
        database.execute("INSERT INTO {attempt} (subscription, position, attempt, outcome) VALUES ('" + SUBSCRIPTION
                + "', " + event.position().value() + ", 1, '" + outcome + "')");
    }

    @Test
    void past_filters_go_with_the_events_they_tell_of() throws SQLException {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "a");
        append("a", "k");
        settle(List.of(), 1);
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "**");
        assertThat(database.number("SELECT count(*) FROM {past_filter}")).isEqualTo(Lane.COUNT_DEFAULT);
        for (int i = 0; i < 200; i++) {
            append("other", "k");
        }
        settle(List.of(), 200);
        store.prune().prune(Duration.ofDays(1));
        assertThat(database.number("SELECT count(*) FROM {past_filter}")).isEqualTo(Lane.COUNT_DEFAULT);
        database.execute("UPDATE {settlement} SET floor = reached");
        store.prune().prune(Duration.ZERO);
        assertThat(database.number("SELECT count(*) FROM {past_filter}")).isZero();
    }

    @Test
    void filters_are_in_the_order_of_their_changes_although_the_clock_was_set_back() throws SQLException {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "other");
        append("a", "k");
        settle(List.of(), 1);
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "a");
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "**");
        database.execute("UPDATE {past_filter} SET changed_at = changed_at - interval '1 hour' WHERE filter = 'a'");
        assertThat(rows("SELECT type, filter FROM {event_skipped}")).containsExactly("a|other");
    }

    @Test
    void an_event_that_the_log_has_dropped_is_still_there_while_it_is_dead() throws SQLException {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "**");
        database.execute("SELECT {append}('dead', '{\"n\": 1}', key => 'k', tenant => 't')");
        settle(List.of(row -> row.dead(1, "broken")), 1);
        for (int i = 0; i < 200; i++) {
            append("other", "k");
        }
        settle(List.of(), 200);
        database.execute("UPDATE {settlement} SET floor = reached");
        store.prune().prune(Duration.ZERO);
        assertThat(database.number("SELECT count(*) FROM {event_log} WHERE type = 'dead'"))
                .isZero();
        assertThat(rows("SELECT event_type, project_id, payload::text FROM {event_outbox} WHERE status = 'failed'"))
                .containsExactly("dead|t|{\"n\": 1}");
        assertThat(database.number("SELECT count(*) FROM {attempt}")).isZero();
    }

    /** What becomes of a delivery row. */
    private interface Fate {
        Delivery of(Delivery row);
    }

    /** The lane of key k reads everything and settles it, its first events with these rows. */
    private List<StoredEvent> settle(List<Fate> fates, int expected) {
        Renew.Renewal renewal = store.renew().renew("node", Duration.ofHours(1), Set.of(SUBSCRIPTION));
        String filter =
                Objects.requireNonNull(renewal.shared().get(SUBSCRIPTION)).filter();
        List<StoredEvent> events = new ArrayList<>();
        for (Claim.ClaimedLane lane : store.claim()
                .claim(
                        new Claim.Claimant("node", SUBSCRIPTION, filter, Park.View.of(Park.Wanted.WAITING)),
                        List.of(),
                        Lane.COUNT_DEFAULT)) {
            Page page = store.claim().read(lane.ownership(), lane.cursor(), 1_000, 1 << 20);
            List<StoredEvent> read = page.events();
            List<Delivery> rows = new ArrayList<>();
            for (int i = 0; i < Math.min(read.size(), fates.size()); i++) {
                rows.add(fates.get(i).of(Delivery.parked(read.get(i), Instant.now(), false)));
            }
            Cursor cursor = page.after(read.size());
            Settlement settled =
                    new Settlement(lane.ownership(), lane.settlement() + 1, cursor, Counts.NONE, rows, List.of());
            assertThat(store.settle().settle(settled)).isTrue();
            events.addAll(read);
        }
        assertThat(events).hasSize(expected);
        return events;
    }

    private void append(String type, String key) throws SQLException {
        database.execute("SELECT {append}('" + type + "', '{}', key => '" + key + "')");
    }

    private List<String> rows(String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = database.begin();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql.replaceAll("\\{(\\w+)}", database.schema() + ".$1"))) {
            while (row.next()) {
                StringBuilder text = new StringBuilder();
                for (int column = 1; column <= row.getMetaData().getColumnCount(); column++) {
                    text.append(column == 1 ? "" : "|").append(row.getString(column));
                }
                rows.add(text.toString());
            }
        }
        return rows;
    }
}
