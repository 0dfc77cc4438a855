package io.postrider.postgres;

import io.postrider.policy.Start;
import io.postrider.store.Park.Wanted;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The statements of park find their rows by indexes, however many wait, wait behind others of their keys, or are dead.
 * Every statement is one that an owner runs between two batches, or while it starts.
 */
class ParkPlanTest {
    private static final String ALL_LANES = "'{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15}'";
    private static final String EPOCHS = "'{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}'";
    private static final String FENCE_TYPES = "text, int, bigint";
    private static final String FENCE = "'plans', 3, 1";

    private final TestDatabase database = new TestDatabase();

    @BeforeEach
    void createLanes() throws SQLException {
        database.store().subscriptions().register("plans", Start.beginning(), "");
        database.store().subscriptions().register("others", Start.beginning(), "");
        database.execute("UPDATE {lane} SET epoch = 1");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void rows_are_found_by_their_indexes_before_and_after_they_are_analyzed() throws SQLException {
        fill();
        allPlansUseIndexes();
        database.execute("ANALYZE {delivery}");
        allPlansUseIndexes();
    }

    @Test
    void rows_that_came_after_an_empty_table_was_analyzed_are_found_by_their_indexes() throws SQLException {
        database.execute("ANALYZE {delivery}");
        fill();
        allPlansUseIndexes();
    }

    private void allPlansUseIndexes() throws SQLException {
        for (Plans.Mode mode : Plans.Mode.values()) {
            for (Wanted wanted : new Wanted[] {Wanted.UNORDERED, Wanted.WAITING, Wanted.WAITING_AND_DEAD}) {
                window(mode, wanted, ALL_LANES, EPOCHS);
                window(mode, wanted, "'{3}'", "'{1}'");
            }
            for (Wanted wanted : new Wanted[] {Wanted.WAITING, Wanted.WAITING_AND_DEAD}) {
                keys(mode, wanted);
                promote(mode, wanted);
            }
            explain(mode, PostgresPark.PROMOTE_ALL, FENCE_TYPES + ", int", FENCE + ", 100");
            explain(
                    mode,
                    PostgresPark.COUNT,
                    "text, int, text, int, smallint[]",
                    "'plans', 100, 'plans', 100, " + ALL_LANES);
        }
    }

    private void window(Plans.Mode mode, Wanted wanted, String lanes, String epochs) throws SQLException {
        boolean dead = wanted == Wanted.WAITING_AND_DEAD;
        explain(
                mode,
                PostgresPark.windowSql(wanted),
                "text, smallint[], bigint[], int, int, int" + (dead ? ", int" : ""),
                "'plans', " + lanes + ", " + epochs + ", 11, 11, 11" + (dead ? ", 11" : ""));
    }

    private void keys(Plans.Mode mode, Wanted wanted) throws SQLException {
        String keys = "'{hot3,k1003,k2019,unknown}'";
        explain(mode, PostgresPark.blockedSql(wanted), "text[], text, int", keys + ", 'plans', 3");
        explain(
                mode,
                PostgresPark.followSql(wanted),
                "text[], text, int, int, " + FENCE_TYPES,
                keys + ", 'plans', 3, 64, " + FENCE);
    }

    private void promote(Plans.Mode mode, Wanted wanted) throws SQLException {
        explain(
                mode,
                PostgresPark.promoteSql(wanted),
                FENCE_TYPES + ", text, text, int, int, text, int",
                FENCE + ", '', 'plans', 3, 100, 'plans', 3");
    }

    private void explain(Plans.Mode mode, String sql, String types, String values) throws SQLException {
        Plans.requireIndexes(database, mode, sql, types, values);
    }

    /**
     * Of two subscriptions: scheduled rows of many keys; in each lane a hot key whose rows wait behind its first, and
     * keys with one that failed and one behind it, every tenth marked wrongly; rows that run; dead ones, none of them
     * in lane 3.
     */
    private void fill() throws SQLException {
        for (String subscription : new String[] {"plans", "others"}) {
            insert(subscription, 0, 30_000, "'k' || n", "'waiting', 0, interval '1 hour' + n * interval '1 s', false");
            insert(subscription, 1, 16, "'hot' || n % 16", "'waiting', 3, interval '1 s', false");
            insert(subscription, 2, 16_000, "'hot' || n % 16", "'waiting', 0, interval '-1 s', n % 160 < 144");
            insert(subscription, 3, 4_000, "'f' || n", "'waiting', 2, interval '2 s', false");
            insert(subscription, 4, 4_000, "'f' || n", "'waiting', 0, interval '-2 s', true");
            insert(subscription, 5, 160, "'r' || n", "'running', 1, interval '-3 s', false");
            insert(subscription, 6, 16_000, "'d' || n", "'dead', 10, interval '-4 s', false");
        }
        database.execute("UPDATE {delivery} SET lane = 4 WHERE status = 'dead' AND lane = 3");
    }

    private void insert(String subscription, int part, int rows, String key, String state) throws SQLException {
        String[] columns = state.split(", ", 4);
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, key, status, attempt, due_at, behind,
                    suspect)
                SELECT '%1$s', n %% 16, %2$d * 1000000 + n, gen_random_uuid(), 'paid', %3$s, %4$s, %5$s, now() + %6$s,
                    %7$s, false
                FROM generate_series(1, %8$d) AS n
                """.formatted(subscription, part, key, columns[0], columns[1], columns[2], columns[3], rows));
    }
}
