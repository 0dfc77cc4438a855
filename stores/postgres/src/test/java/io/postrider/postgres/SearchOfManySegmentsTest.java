package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.operate.Search;
import io.postrider.policy.Start;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A page of a search looks into a limited number of segments, and locks one at a time. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SearchOfManySegmentsTest {
    private static final int SEGMENTS = 450;
    /** Of a segment, and of all other tables with their indexes. */
    private static final int LOCKS_MAX = ManySegments.LOCKS_OF_A_SEGMENT + 80;

    private final TestDatabase database = new TestDatabase();
    private final LockCount locks = new LockCount();
    private final StatementCount statements = new StatementCount(".event_log_");
    private ManySegments segments;
    private Search search;

    @BeforeAll
    void fill() throws SQLException {
        segments = new ManySegments(database, SEGMENTS);
        database.execute("UPDATE {event_log_" + ManySegments.position(1) + "} SET tenant = 'oldest'");
        database.execute("UPDATE {event_log_" + ManySegments.position(2) + "} SET tenant = 'second'");
        PostgresStore store = PostgresStore.of(statements.on(locks.on(database.dataSource())), database.config());
        store.subscriptions().register("mail", Start.beginning(), "*");
        segments.rows("mail", "dead", "", "");
        search = store.search();
    }

    @AfterAll
    void close() throws SQLException {
        segments.close();
    }

    @Test
    void a_page_looks_into_few_segments_and_the_next_goes_on_from_there() {
        for (EventFilter filter : List.of(
                EventFilter.ALL.tenant("oldest"),
                EventFilter.ALL.key(ManySegments.KEY).tenant("oldest"))) {
            List<Position> found = new ArrayList<>();
            Search.@Nullable Bookmark after = null;
            int pages = 0;
            do {
                Search.Found page = few(after, filter);
                page.events().forEach(event -> found.add(event.position()));
                after = page.next();
                pages++;
            } while (after != null);
            assertThat(found).containsExactly(new Position(ManySegments.position(1)));
            assertThat(pages).as("pages").isEqualTo(3);
        }
    }

    private Search.Found few(Search.@Nullable Bookmark after, EventFilter filter) {
        statements.count();
        locks.most();
        Search.Found page = search.events(filter, after, 5);
        assertThat(statements.count()).as("statements of a page").isLessThanOrEqualTo(2 * EventScan.SEGMENTS_MAX);
        assertThat(locks.most()).as("locks of a page").isLessThanOrEqualTo(LOCKS_MAX);
        return page;
    }

    @Test
    void a_search_through_each_segment_locks_one_at_a_time() {
        locks.most();
        search.story(new EventId(UUID.randomUUID()));
        search.chain("nobody");
        search.chain("c");
        for (Search.State state : Search.State.values()) {
            search.deliveries("mail", state, EventFilter.ALL.tenant("second"), null, 5);
        }
        assertThat(locks.most()).as("locks").isBetween(1, LOCKS_MAX);
    }

    @Test
    void a_page_of_delivery_rows_fetches_its_own_events_alone() throws SQLException {
        EmbeddedPostgres server = TestDatabase.server();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.jdbcUrl());
        config.setUsername(server.user());
        config.setPassword(server.password());
        config.setConnectionInitSql("SET lock_timeout = '1s'");
        try (HikariDataSource impatient = new HikariDataSource(config);
                Connection holder = database.begin();
                var lock = holder.createStatement()) {
            Search search = PostgresStore.of(impatient, database.config()).search();
            lock.execute("LOCK TABLE ONLY " + database.schema() + ".event_log_" + ManySegments.position(SEGMENTS - 10)
                    + " IN ACCESS EXCLUSIVE MODE");
            Search.Found page = search.deliveries(
                    "mail",
                    Search.State.DEAD,
                    EventFilter.ALL.key(ManySegments.KEY).type("paid"),
                    null,
                    5);
            assertThat(page.events()).hasSize(5);
            assertThat(page.next()).isEqualTo(new Search.Bookmark(new Position(ManySegments.position(SEGMENTS - 4))));
        }
    }
}
