package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventFilter;
import io.postrider.operate.Search;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Search indexes are made away from the appends, and go where appends would pay for them. */
class SearchIndexesTest {
    private static final int SEGMENT = 20_000;
    private static final Duration KEPT = Duration.ofDays(1);
    private static final int ALL = SearchIndex.values().length;

    private final TestDatabase database = new TestDatabase();
    private final Jdbc jdbc = new Jdbc(database.dataSource(), database.schema());
    private final PostgresStore store =
            PostgresStore.of(database.dataSource(), database.config().segmentSize(SEGMENT));

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_closed_segment_has_them_all_and_the_open_one_none() throws SQLException {
        append(SEGMENT + 10);
        pruneUntilNothingIsLeft();
        assertThat(indexes("event_log_1")).isEqualTo(ALL);
        assertThat(indexes("event_log_" + Segments.WIDTH)).isZero();
        assertThat(indexesOnTheLogItself()).isEqualTo(2);
    }

    @Test
    void the_open_segment_has_them_while_the_log_is_quiet_and_loses_them_when_it_is_busy() throws SQLException {
        SearchIndexes always =
                new SearchIndexes(jdbc, new SearchIndexes.Quiet(1_000_000, 2_000_000, Duration.ZERO, SEGMENT));
        append(Search.EXAMINED_MAX + 1);
        build(always);
        assertThat(indexes("event_log_1"))
                .as("after one look nobody knows the pace")
                .isZero();
        build(always);
        assertThat(indexes("event_log_1")).isEqualTo(ALL);

        SearchIndexes never = new SearchIndexes(jdbc, new SearchIndexes.Quiet(-1, -1, Duration.ZERO, SEGMENT));
        build(never);
        build(never);
        assertThat(indexes("event_log_1")).isZero();
    }

    @Test
    void positions_that_nobody_drew_between_segments_make_no_log_busy() throws SQLException {
        SearchIndexes always =
                new SearchIndexes(jdbc, new SearchIndexes.Quiet(10_000_000, 20_000_000, Duration.ZERO, SEGMENT));
        append(SEGMENT + 10);
        build(always);
        store.prune().prune(KEPT);
        append(Search.EXAMINED_MAX + 1);
        build(always);
        assertThat(indexes("event_log_" + Segments.WIDTH)).isEqualTo(ALL);
    }

    @Test
    void an_open_segment_with_too_many_events_or_a_short_calm_gets_none() throws SQLException {
        append(Search.EXAMINED_MAX + 1);
        SearchIndexes small =
                new SearchIndexes(jdbc, new SearchIndexes.Quiet(1_000_000, 2_000_000, Duration.ZERO, 5_000));
        SearchIndexes patient = new SearchIndexes(jdbc, SearchIndexes.Quiet.DEFAULT);
        for (int i = 0; i < 3; i++) {
            build(small);
            build(patient);
        }
        assertThat(indexes("event_log_1")).isZero();
    }

    @Test
    void a_transaction_that_has_appended_puts_it_off_and_appends_go_on() throws SQLException {
        try (Connection holder = database.begin()) {
            holder.createStatement().execute("SELECT " + database.schema() + ".append('paid', '{}')");
            append(SEGMENT + 10);
            store.prune().prune(KEPT);
            assertThat(indexes("event_log_1")).isZero();
            append(1);
            holder.commit();
        }
        pruneUntilNothingIsLeft();
        assertThat(indexes("event_log_1")).isEqualTo(ALL);
    }

    @Test
    void while_another_node_is_at_it_nothing_is_done() throws SQLException {
        append(SEGMENT + 10);
        try (Connection other = database.begin()) {
            other.createStatement()
                    .execute("LOCK TABLE " + database.schema() + ".segment IN SHARE UPDATE EXCLUSIVE MODE");
            store.prune().prune(KEPT);
            assertThat(indexes("event_log_1")).isZero();
            other.commit();
        }
        pruneUntilNothingIsLeft();
        assertThat(indexes("event_log_1")).isEqualTo(ALL);
    }

    @Test
    void while_another_node_is_at_it_one_step_is_tried_however_many_are_missing() throws SQLException {
        append(SEGMENT + 10);
        store.prune().prune(KEPT);
        database.execute("DROP INDEX {event_log_1_by_id}, {event_log_1_by_key}, {event_log_1_by_time}");
        StatementCount tried = new StatementCount("CREATE INDEX");
        SearchIndexes other = new SearchIndexes(
                new Jdbc(tried.on(database.dataSource()), database.schema()), SearchIndexes.Quiet.DEFAULT);
        try (Connection first = database.begin()) {
            first.createStatement()
                    .execute("LOCK TABLE " + database.schema() + ".segment IN SHARE UPDATE EXCLUSIVE MODE");
            new Jdbc(tried.on(database.dataSource()), database.schema()).autocommit(other::build);
            assertThat(tried.count()).isEqualTo(1);
        }
        build(other);
        assertThat(indexes("event_log_1")).isEqualTo(ALL);
    }

    @Test
    void headers_that_sql_cannot_read_keep_no_index_from_being_made() throws SQLException {
        database.execute("""
                INSERT INTO {event_log} (id, type, payload, headers, lane, bytes)
                VALUES (gen_random_uuid(), 'paid', '{}', '{"userId": "\\u0000"}', 0, 2)
                """);
        append(SEGMENT);
        pruneUntilNothingIsLeft();
        assertThat(indexes("event_log_1")).isEqualTo(ALL);
        assertThat(store.search()
                        .events(EventFilter.ALL.userId("user-7"), null, 10)
                        .hits())
                .hasSize(10);
    }

    @Test
    void what_is_found_does_not_depend_on_them() throws SQLException {
        append(SEGMENT + 500);
        EventFilter filter = EventFilter.ALL.type("type-3").tenant("tenant-3").userId("user-3");
        long unindexed = count(filter);
        pruneUntilNothingIsLeft();
        assertThat(count(filter)).isEqualTo(unindexed).isPositive();
        assertThat(count(EventFilter.ALL)).isEqualTo(SEGMENT + 500);
        assertThat(count(EventFilter.ALL.between(java.time.Instant.EPOCH, java.time.Instant.now())))
                .isEqualTo(SEGMENT + 500);
    }

    private long count(EventFilter filter) {
        long count = 0;
        Search.Bookmark after = null;
        do {
            Search.Found page = store.search().events(filter, after, Search.PAGE_MAX);
            count += page.hits().size();
            after = page.next();
        } while (after != null);
        return count;
    }

    private void build(SearchIndexes indexes) {
        jdbc.autocommit(connection -> indexes.build(connection));
    }

    private void pruneUntilNothingIsLeft() {
        while (store.prune().prune(KEPT).created() > 0) {}
    }

    private void append(int events) throws SQLException {
        SearchPlanTest.append(database, events);
    }

    private long indexes(String segment) throws SQLException {
        return database.number("SELECT count(*) FROM pg_indexes WHERE schemaname = '" + database.schema()
                + "' AND tablename = '" + segment + "' AND indexname LIKE '%\\_by\\_%'");
    }

    private long indexesOnTheLogItself() throws SQLException {
        return database.number("SELECT count(*) FROM pg_indexes WHERE schemaname = '" + database.schema()
                + "' AND tablename = 'event_log'");
    }
}
