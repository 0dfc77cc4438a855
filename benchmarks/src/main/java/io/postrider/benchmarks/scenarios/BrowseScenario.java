package io.postrider.benchmarks.scenarios;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Result;
import io.postrider.benchmarks.report.Target;
import io.postrider.operate.Search;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/** How soon an operator gets an answer from a log with a long history. Each question has another value each time. */
final class BrowseScenario implements Scenario {
    private static final Target SOON = Target.atMost(50);
    private static final int PAGE = 50;
    private static final int WARM_UPS = 40;
    private static final long LONGEST = TimeUnit.MINUTES.toNanos(1);

    @Override
    public String name() {
        return "browse";
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        try (HikariDataSource pool = database.pool(PostriderDrain.CONNECTIONS)) {
            PostgresStore store = PostgresStore.of(pool);
            BrowseHistory history =
                    new BrowseHistory(database, store, scale.browse().history());
            history.fill();
            List<Result> results = new ArrayList<>();
            for (Map.Entry<String, Question> each :
                    questions(store, pool, history, new Random(1)).entrySet()) {
                results.addAll(measure(each.getKey(), each.getValue(), scale.browse()));
            }
            return new Findings(results, List.of());
        }
    }

    /** What is asked. */
    @FunctionalInterface
    private interface Question {
        void ask() throws Exception;
    }

    private static List<Result> measure(String what, Question question, Scale.Browse sizes) throws Exception {
        for (int i = 0; i < WARM_UPS; i++) {
            question.ask();
        }
        Histogram times = new Histogram(LONGEST, 3);
        for (int i = 0; i < sizes.asked(); i++) {
            long begin = System.nanoTime();
            question.ask();
            times.recordValue(System.nanoTime() - begin);
        }
        String name = String.format(Locale.ROOT, "browse, %,d events: %s", sizes.history(), what);
        double p95 = times.getValueAtPercentile(95) / 1e6;
        System.out.printf(Locale.ROOT, "%8.2f ms p95  %s%n", p95, what);
        return List.of(
                Result.told(name + ", p50", times.getValueAtPercentile(50) / 1e6, "ms"),
                Result.judged(name + ", p95", p95, "ms", SOON),
                Result.told(name + ", p99", times.getValueAtPercentile(99) / 1e6, "ms"));
    }

    private static Map<String, Question> questions(
            PostgresStore store, HikariDataSource pool, BrowseHistory history, Random random) throws Exception {
        Search search = store.search();
        Map<String, Question> all = new LinkedHashMap<>();
        EventFilter any = EventFilter.ALL;
        all.put("newest", () -> search.events(any, null, PAGE));
        all.put("by type", () -> search.events(any.type(history.type(random)), null, PAGE));
        all.put("by key", () -> search.events(any.key(history.key(random)), null, PAGE));
        all.put("by tenant", () -> search.events(any.tenant(history.tenant(random)), null, PAGE));
        all.put("by user", () -> search.events(any.userId(history.user(random)), null, PAGE));
        all.put("by correlation", () -> search.events(any.correlationId(history.correlation(random)), null, PAGE));
        all.put("by time", () -> {
            Instant until = history.time(random);
            search.events(any.between(until.minusMillis(50), until), null, PAGE);
        });
        all.put(
                "by type and tenant",
                () -> search.events(any.type(history.type(random)).tenant(history.tenant(random)), null, PAGE));
        all.put(
                "dead by type",
                () -> search.deliveries(
                        BrowseHistory.SUBSCRIPTION, Search.State.DEAD, any.type(history.type(random)), null, PAGE));
        all.put(
                "delivered by user",
                () -> search.deliveries(
                        BrowseHistory.SUBSCRIPTION,
                        Search.State.DELIVERED,
                        any.userId(history.user(random)),
                        null,
                        PAGE));
        List<EventId> ids = history.ids(random);
        all.put("story by id", () -> search.story(ids.get(random.nextInt(ids.size()))));
        all.put("why", () -> search.why(BrowseHistory.SUBSCRIPTION, ids.get(random.nextInt(ids.size()))));
        all.put("chain", () -> search.chain(history.correlation(random)));
        view(all, pool, "event_outbox", "status = 'published'", () -> "");
        view(all, pool, "event_outbox", "status = 'pending'", () -> "");
        view(all, pool, "event_outbox", "status = 'failed'", () -> "");
        view(all, pool, "event_outbox", "aggregate_id = ", () -> history.key(random));
        view(all, pool, "event_outbox", "project_id = ", () -> history.tenant(random));
        view(all, pool, "event_outbox", "user_id = ", () -> history.user(random));
        view(all, pool, "outbox_events", "processed", () -> "");
        view(all, pool, "outbox_events", "NOT processed", () -> "");
        view(all, pool, "event_handling", "status = 'processed'", () -> "");
        view(all, pool, "event_handling", "status = 'failed'", () -> "");
        view(all, pool, "event_handling", "group_id = ", () -> history.key(random));
        return all;
    }

    /** As a person types it: the value is in the text, and each one is planned for itself. */
    private static void view(
            Map<String, Question> all, HikariDataSource pool, String view, String condition, Supplier<String> value) {
        all.put("view " + view + " where " + condition + (condition.endsWith("= ") ? "?" : ""), () -> {
            String given = value.get();
            String where = given.isEmpty() ? condition : condition + "'" + given + "'";
            String sql = "SELECT * FROM postrider." + view + " WHERE " + where + " LIMIT " + PAGE;
            try (Connection connection = pool.getConnection();
                    var statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                while (row.next()) {
                    row.getString(1);
                }
            }
        });
    }
}
