package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.operate.By;
import io.postrider.operate.Removal;
import io.postrider.policy.Start;
import io.postrider.store.Append;
import io.postrider.store.Processed;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where records lie in PostgreSQL, and how they go. */
class ProcessedTest {
    private static final Duration WEEK = Duration.ofDays(7);
    private static final By ANN = new By("ann", "the service is gone");

    private final TestDatabase database = new TestDatabase();
    private final Random random = new Random(1);
    private PostgresStore store;

    @BeforeEach
    void open() {
        store = database.store();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void the_events_of_a_day_share_a_bucket_and_the_next_day_has_another() {
        Instant noon = Instant.parse("2026-11-15T12:00:00Z");
        int bucket = BucketRing.bucket(idAt(noon));
        assertThat(BucketRing.bucket(idAt(noon.plus(Duration.ofHours(11))))).isEqualTo(bucket);
        assertThat(BucketRing.bucket(idAt(noon.plus(Duration.ofDays(1))))).isEqualTo((bucket + 1) % BucketRing.BUCKETS);
        assertThat(BucketRing.bucket(new EventId(new UUID(-1, -1)))).isBetween(0, BucketRing.BUCKETS - 1);
    }

    @Test
    void a_bucket_whose_records_are_all_old_goes_whole_and_leaves_nothing_to_vacuum() throws Exception {
        Instant now = Instant.now();
        for (int day = 0; day <= 9; day++) {
            processedAt(now.minus(Duration.ofDays(day)));
        }
        assertThat(store.processed().forget(WEEK)).isTrue();
        assertThat(records()).isEqualTo(7);
        int bucket = BucketRing.bucket(idAt(now.minus(Duration.ofDays(9))));
        assertThat(database.number("SELECT pg_relation_size('{processed_" + bucket + "}')"))
                .isZero();
    }

    @Test
    void an_event_that_comes_again_much_later_meets_its_record() throws Exception {
        EventId event = processedAt(Instant.now().minus(Duration.ofDays(6)));
        assertThat(first(event)).isFalse();
        store.processed().forget(WEEK);
        assertThat(first(event)).isFalse();
    }

    @Test
    void where_new_records_keep_coming_to_a_bucket_old_ones_are_deleted_at_twice_the_age() throws Exception {
        EventId event = new EventId(new UUID(1L << 40, 1));
        assertThat(first(event)).isTrue();
        age(event, Duration.ofDays(15));
        EventId another = new EventId(new UUID(1L << 40, 2));
        assertThat(first(another)).isTrue();
        assertThat(store.processed().forget(WEEK)).isTrue();
        assertThat(first(event)).isTrue();
        assertThat(first(another)).isFalse();
    }

    @Test
    void a_record_that_is_about_to_be_committed_keeps_its_bucket() throws Exception {
        Instant old = Instant.now().minus(Duration.ofDays(9));
        processedAt(old);
        EventId late = idAt(old);
        try (Connection open = database.begin()) {
            assertThat(store.processed().first(open, late, "s")).isTrue();
            assertThat(store.processed().forget(WEEK)).isFalse();
            open.commit();
        }
        assertThat(store.processed().forget(WEEK)).isFalse();
        assertThat(first(late)).isFalse();
    }

    @Test
    void the_wait_for_a_record_leaves_the_lock_timeout_of_the_session_as_it_was() throws Exception {
        EventId event = idAt(Instant.now());
        try (Connection transaction = database.begin();
                var statement = transaction.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '7s'");
            assertThat(store.processed().first(transaction, event, "s")).isTrue();
            assertThat(lockTimeout(statement)).isEqualTo("7s");
            assertThat(store.processed().first(transaction, event, "s")).isFalse();
            assertThat(lockTimeout(statement)).isEqualTo("7s");
            assertThat(store.processed().record(transaction, idAt(Instant.now()), "s"))
                    .isEqualTo(Processed.Recorded.FIRST);
            assertThat(store.processed().record(transaction, event, "s")).isEqualTo(Processed.Recorded.REPEATED);
            assertThat(lockTimeout(statement)).isEqualTo("7s");
            transaction.rollback();
        }
    }

    private static String lockTimeout(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SHOW lock_timeout")) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void a_record_stays_while_a_row_of_its_event_waits_whenever_that_was_changed() throws Exception {
        store.subscriptions().register("s", Start.beginning(), "**");
        for (String status : List.of("ready", "waiting", "running")) {
            EventId event = processedAt(Instant.now().minus(Duration.ofDays(9)));
            EventId withoutTime = new EventId(new UUID(-1, random.nextLong()));
            assertThat(first(withoutTime)).isTrue();
            age(withoutTime, Duration.ofDays(15));
            row(1, event, status);
            row(2, withoutTime, status);
            assertThat(store.processed().forget(WEEK)).as(status).isFalse();
            database.execute("DELETE FROM {delivery}");
            assertThat(store.processed().forget(WEEK)).as(status).isTrue();
            assertThat(records()).isZero();
        }
    }

    @Test
    void a_record_stays_while_its_event_is_pending_although_the_lane_has_settled_others() throws Exception {
        EventId event = processedAt(Instant.now().minus(Duration.ofDays(9)));
        try (Connection transaction = database.begin()) {
            store.append().append(transaction, List.of(new Append.Entry(event, "t", "k", "1", Headers.NONE, null)));
            transaction.commit();
        }
        database.execute("UPDATE {event_log} SET appended_at = appended_at - interval '10 days'");
        store.subscriptions().register("s", Start.beginning(), "**");
        assertThat(store.processed().forget(WEEK)).isFalse();
        database.execute("UPDATE {settlement} SET floor = 1, settled_at = settled_at - interval '10 days'");
        assertThat(store.processed().forget(WEEK)).isTrue();
    }

    @Test
    void a_removal_that_was_cut_short_forgets_the_rest_when_it_is_repeated() throws Exception {
        store.subscriptions().register("s", Start.beginning(), "**");
        store.operate().remove("s", ANN, Removal.DROPPING);
        EventId left = processedAt(Instant.now().minus(Duration.ofMinutes(5)));
        EventId since = idAt(Instant.now());
        assertThat(first(since)).isTrue();
        attempt("s", Duration.ofMinutes(5));
        attempt("s", Duration.ZERO);
        attempt("other", Duration.ofMinutes(5));
        assertThat(store.operate().remove("s", ANN, Removal.DROPPING).found()).isFalse();
        assertThat(first(left)).isTrue();
        assertThat(first(since)).isFalse();
        assertThat(database.number("SELECT count(*) FROM {attempt}")).isEqualTo(2);
    }

    @Test
    void a_removal_forgets_many_records_a_few_at_a_time() throws Exception {
        store.subscriptions().register("s", Start.beginning(), "**");
        database.execute("""
                CREATE TABLE {deleted} (attempts bigint);
                CREATE FUNCTION {note_deleted}() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN INSERT INTO {deleted} SELECT count(*) FROM gone; RETURN NULL; END';
                CREATE TRIGGER deleted AFTER DELETE ON {attempt} REFERENCING OLD TABLE AS gone
                    FOR EACH STATEMENT EXECUTE FUNCTION {note_deleted}();
                INSERT INTO {attempt} (subscription, position, attempt, outcome)
                    SELECT 's', n, 1, 'retrying' FROM generate_series(1, 100000) AS n;
                INSERT INTO {processed} (event, handler, bucket)
                    SELECT gen_random_uuid(), 's', n % 2 FROM generate_series(1, 100000) AS n
                """);
        store.operate().remove("s", ANN, Removal.DROPPING);
        assertThat(records()).isZero();
        assertThat(database.number("SELECT count(*) FROM {attempt}")).isZero();
        assertThat(database.number("SELECT sum(attempts) FROM {deleted}")).isEqualTo(100_000);
        assertThat(database.number("SELECT max(attempts) FROM {deleted}")).isLessThan(50_000);
    }

    private void attempt(String subscription, Duration age) throws SQLException {
        database.execute("""
                INSERT INTO {attempt} (subscription, position, attempt, outcome, at)
                VALUES ('%s', 1, 1, 'retrying', clock_timestamp() - interval '%d seconds')
                """.formatted(subscription, age.toSeconds()));
    }

    /** As it is left by whoever took it over just now. */
    private void row(int position, EventId event, String status) throws SQLException {
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, status, attempt, due_at, suspect)
                VALUES ('s', 0, %d, '%s', 't', '%s', 1, now(), false)
                """.formatted(position, event, status));
    }

    private EventId idAt(Instant time) {
        return EventId.draw(time, random);
    }

    /** An event of this time, processed soon after. */
    private EventId processedAt(Instant time) throws Exception {
        EventId event = idAt(time);
        assertThat(first(event)).isTrue();
        age(event, Duration.between(time, Instant.now()));
        return event;
    }

    private void age(EventId event, Duration age) throws SQLException {
        database.execute("UPDATE {processed} SET at = at - interval '" + age.toSeconds() + " seconds' WHERE event = '"
                + event + "'");
    }

    private boolean first(EventId event) throws Exception {
        return store.transact().transact(transaction -> store.processed().first(transaction, event, "s"));
    }

    private long records() throws SQLException {
        return database.number("SELECT count(*) FROM {processed}");
    }
}
