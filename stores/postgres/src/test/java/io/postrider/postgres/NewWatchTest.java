package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Lane;
import io.postrider.policy.Start;
import io.postrider.store.Cursor;
import io.postrider.store.Watch;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A watch that begins looks for late commits, and only in segments that may have some: nodes begin one when they start,
 * and all of them at once after an outage of the store.
 */
class NewWatchTest {
    private static final Duration KEPT = Duration.ofDays(1);
    private static final int SEGMENTS = Layout.NAMED_MAX + 4;

    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void segments_to_which_nobody_writes_any_more_are_not_looked_through() throws SQLException {
        closeSegments(SEGMENTS);
        Cursor now = store.watch().now();
        assertThat(now.floor()).isEqualTo(openSegment() - 1);
        assertThat(now.position()).isGreaterThan(now.floor());
    }

    @Test
    void the_first_look_locks_a_few_tables_however_many_segments_are_closed() throws SQLException {
        closeSegments(SEGMENTS);
        LockCount locks = new LockCount();
        PostgresStore counted = PostgresStore.of(locks.on(database.dataSource()), database.config());
        Cursor now;
        try (Connection open = append()) {
            now = counted.watch().now();
            open.commit();
        }
        locks.most();
        assertThat(counted.watch().watch(now).lanes()).hasSize(1);
        assertThat(locks.most()).isLessThan(Layout.NAMED_MAX);
    }

    @Test
    void what_commits_late_in_a_closed_segment_is_found() throws SQLException {
        closeSegments(2);
        long floor = store.watch().now().floor();
        Cursor now;
        try (Connection open = append()) {
            closeSegments(1);
            now = store.watch().now();
            assertThat(now.floor()).isEqualTo(floor).isPositive();
            assertThat(openSegment()).isGreaterThan(floor + 1);
            open.commit();
        }
        Watch.News news = store.watch().watch(now);
        assertThat(news.lanes()).containsOnlyKeys(lane());
    }

    @Test
    void a_subscription_that_begins_at_the_end_holds_no_closed_segment() throws SQLException {
        closeSegments(SEGMENTS);
        store.subscriptions().register("letters", Start.end(), "*");
        int dropped = 0;
        for (int prunes = 0; prunes < 3; prunes++) {
            dropped += store.prune().prune(Duration.ZERO).dropped();
        }
        assertThat(dropped).isEqualTo(SEGMENTS);
    }

    /** An append in a transaction that stays open. */
    private Connection append() throws SQLException {
        Connection open = database.begin();
        try (var statement = open.createStatement()) {
            statement.execute("SELECT " + database.schema() + ".append('late', '{}', key => 'late')");
        }
        return open;
    }

    private Lane lane() throws SQLException {
        return new Lane((int) database.number("SELECT lane FROM {event_log} WHERE type = 'late'"));
    }

    /** Positions are drawn until prune has gone on to the next segment, as often as asked for. */
    private void closeSegments(int number) throws SQLException {
        for (int i = 0; i < number; i++) {
            long open = openSegment();
            database.execute("SELECT {append}('paid', '{}', key => 'key')");
            database.execute("SELECT setval('{event_position}', nextval('{event_position}') + 99)");
            store.prune().prune(KEPT);
            assertThat(openSegment()).isGreaterThan(open);
        }
        database.execute("SELECT {append}('paid', '{}', key => 'key')");
    }

    /** The first position of the segment in which positions are drawn. */
    private long openSegment() throws SQLException {
        return database.number("""
                SELECT max(first) FROM {segment}
                WHERE log = 'event_log' AND first <= (SELECT last_value + 1 FROM {event_position})
                """);
    }
}
