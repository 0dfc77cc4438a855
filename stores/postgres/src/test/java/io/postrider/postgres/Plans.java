package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs statements under EXPLAIN and requires that they find their rows by indexes. */
final class Plans {
    /** Rows a scan may visit in vain. On a wrong index it visits thousands. */
    private static final int REMOVED_MAX = 500;

    private static final Pattern SEQUENTIAL = Pattern.compile(
            "Seq Scan on ((?:event_log|settlement)_(?:\\d+|rest)|delivery|dead_events)\\b.*actual .*rows=([\\d.]+)");
    private static final Pattern REMOVED = Pattern.compile("Rows Removed by (?:Filter|Index Recheck): (\\d+)");

    private static final Pattern JOINED_IN_VAIN = Pattern.compile("Rows Removed by Join Filter: (\\d+)");

    private Plans() {}

    /** How a prepared statement is planned. */
    enum Mode {
        /** For its values, as the driver's first executions are. */
        CUSTOM("set_config('plan_cache_mode', 'force_custom_plan', true)"),
        /** For any values, as PostgreSQL may do after some executions. */
        GENERIC("set_config('plan_cache_mode', 'force_generic_plan', true)"),
        /** As the statements of reading and watching ask for. */
        ONCE(Planning.ONCE);

        private final String settings;

        Mode(String settings) {
            this.settings = settings;
        }
    }

    /** Prepares the statement with these types, and runs it with these values. */
    static void requireIndexes(TestDatabase database, Mode mode, String sql, String types, String values)
            throws SQLException {
        try (Connection connection = database.begin()) {
            prepare(database, connection, mode, sql, types);
            requireIndexes(connection, values);
            deallocate(connection);
        }
    }

    /** Prepares it on this connection, which has begun a transaction. */
    static void prepare(TestDatabase database, Connection connection, Mode mode, String sql, String types)
            throws SQLException {
        String prepared = new Jdbc(database.dataSource(), database.schema()).sql(numbered(sql));
        try (var statement = connection.createStatement()) {
            statement.execute("SELECT " + mode.settings);
            statement.execute("PREPARE guarded" + list(types) + " AS " + prepared);
        }
    }

    /**
     * The same for a statement on the catalog, whose small tables are read whole: only its joins have to be by keys.
     */
    static void requireKeys(TestDatabase database, Mode mode, String sql, String types, String values)
            throws SQLException {
        try (Connection connection = database.begin()) {
            prepare(database, connection, mode, sql, types);
            requireFew(JOINED_IN_VAIN, explain(connection, values));
            deallocate(connection);
        }
    }

    /** Runs what was prepared on this connection; it keeps its plan if that was made for any values. */
    static void requireIndexes(Connection connection, String values) throws SQLException {
        judge(explain(connection, values));
    }

    private static String explain(Connection connection, String values) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (var statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("EXPLAIN (ANALYZE, TIMING OFF) EXECUTE guarded" + list(values))) {
            while (row.next()) {
                plan.append(row.getString(1)).append('\n');
            }
        }
        return plan.toString();
    }

    private static String list(String items) {
        return items.isEmpty() ? "" : " (" + items + ")";
    }

    static void deallocate(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("DEALLOCATE guarded");
        }
    }

    private static void judge(String plan) {
        Matcher sequential = SEQUENTIAL.matcher(plan);
        while (sequential.find()) {
            assertThat(Double.parseDouble(sequential.group(2)))
                    .as("rows of a sequential scan in%n%s", plan)
                    .isZero();
        }
        requireFew(REMOVED, plan);
    }

    private static void requireFew(Pattern inVain, String plan) {
        Matcher removed = inVain.matcher(plan);
        while (removed.find()) {
            assertThat(Long.parseLong(removed.group(1)))
                    .as("rows visited in vain in%n%s", plan)
                    .isLessThan(REMOVED_MAX);
        }
    }

    /** JDBC's parameters as PREPARE has them. */
    private static String numbered(String sql) {
        StringBuilder text = new StringBuilder();
        int number = 0;
        for (String part : sql.strip().replaceAll(";$", "").split("\\?", -1)) {
            text.append(number == 0 ? "" : "$" + number).append(part);
            number++;
        }
        return text.toString();
    }
}
