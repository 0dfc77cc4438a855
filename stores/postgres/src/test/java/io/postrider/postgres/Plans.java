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
            "Seq Scan on ((?:outbox_log|settlement)_(?:\\d+|rest)|delivery|dead_events)\\b.*actual .*rows=([\\d.]+)");
    private static final Pattern REMOVED = Pattern.compile("Rows Removed by (?:Filter|Index Recheck): (\\d+)");

    private Plans() {}

    /** How a prepared statement is planned; the driver's change from the one to the other after some executions. */
    enum Mode {
        FORCE_CUSTOM_PLAN,
        FORCE_GENERIC_PLAN
    }

    /** Prepares the statement with these types, and runs it with these values. */
    static void requireIndexes(TestDatabase database, Mode mode, String sql, String types, String values)
            throws SQLException {
        String prepared = new Jdbc(database.dataSource(), database.schema()).sql(numbered(sql));
        StringBuilder plan = new StringBuilder();
        try (Connection connection = database.begin();
                var statement = connection.createStatement()) {
            statement.execute("SET LOCAL plan_cache_mode = " + mode);
            statement.execute("PREPARE guarded (" + types + ") AS " + prepared);
            try (ResultSet row =
                    statement.executeQuery("EXPLAIN (ANALYZE, TIMING OFF) EXECUTE guarded (" + values + ")")) {
                while (row.next()) {
                    plan.append(row.getString(1)).append('\n');
                }
            }
            statement.execute("DEALLOCATE guarded");
        }
        judge(plan.toString());
    }

    private static void judge(String plan) {
        Matcher sequential = SEQUENTIAL.matcher(plan);
        while (sequential.find()) {
            assertThat(Double.parseDouble(sequential.group(2)))
                    .as("rows of a sequential scan in%n%s", plan)
                    .isZero();
        }
        Matcher removed = REMOVED.matcher(plan);
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
