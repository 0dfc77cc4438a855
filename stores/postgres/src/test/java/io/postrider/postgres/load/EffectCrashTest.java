package io.postrider.postgres.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.operate.Ledger;
import io.postrider.policy.Start;
import io.postrider.postgres.PostgresStore;
import io.postrider.postgres.load.EffectNode.Form;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes that count in the same database are killed again and again, by themselves between effect and settle and from
 * outside at any moment: each event is counted once.
 */
class EffectCrashTest {
    private static final int NODES = 2;
    private static final int KEYS = 100;
    /** How often nodes end themselves, about, before a commit and after one. */
    private static final int HALTS = 5;
    /** Then the rest is delivered in peace, so that it ends in time on a slow machine too. */
    private static final int KILLS_MAX = 12;

    private static final int KILLS_MAX_OF_FEW = 4;
    private static final int FEW = 1_000;

    private static final Duration LOOK_EVERY = Duration.ofMillis(50);
    private static final Duration KILL_EVERY_AT_MOST = Duration.ofSeconds(5);
    /** Most of it is JVMs that start: a kill costs seconds where the machine is busy. */
    private static final Duration AT_MOST = Duration.ofSeconds(120);

    @TempDir
    Path folder;

    private final Random random = new Random(1);

    @Test
    void each_of_500_effects_happens_once_where_a_record_commits_with_it() throws Exception {
        countOnce(500, Form.RECORD);
    }

    @Test
    void each_of_500_effects_happens_once_where_the_settlement_commits_with_it() throws Exception {
        countOnce(500, Form.SETTLEMENT);
    }

    @Test
    void each_of_500_tasks_has_its_effect_once() throws Exception {
        countOnce(500, Form.RECORD_OF_A_TASK);
    }

    @Test
    @Tag("heavy")
    void each_of_10_000_effects_happens_once_where_a_record_commits_with_it() throws Exception {
        assertThat(countOnce(10_000, Form.RECORD))
                .as("dispatches of what had been counted")
                .isPositive();
    }

    @Test
    @Tag("heavy")
    void each_of_10_000_effects_happens_once_where_the_settlement_commits_with_it() throws Exception {
        countOnce(10_000, Form.SETTLEMENT);
    }

    @Test
    @Tag("heavy")
    void each_of_10_000_tasks_has_its_effect_once() throws Exception {
        countOnce(10_000, Form.RECORD_OF_A_TASK);
    }

    /** Answers how many dispatches found that the effect had been committed before. */
    private long countOnce(int events, Form form) throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.temporary(Map.of("fsync", "off"));
                HikariDataSource pool = Database.of(server).pool(4)) {
            PostgresStore store = PostgresStore.of(pool);
            prepare(pool, store, events);
            int kills = runAndKill(Database.of(server), store, events, form);
            long repeated = number(pool, "SELECT count(*) FROM repeated");
            System.out.printf(
                    "%d events, %s: %d kills, %d dispatches of what had been counted%n", events, form, kills, repeated);
            assertThat(number(pool, "SELECT count(*) FROM effect"))
                    .as("effects")
                    .isEqualTo(events);
            assertThat(number(pool, "SELECT count(DISTINCT event) FROM effect"))
                    .as("events with an effect")
                    .isEqualTo(events);
            assertThat(number(pool, "SELECT count(*) FROM counter WHERE count <> " + events / KEYS))
                    .as("keys that were counted wrongly")
                    .isZero();
            assertThat(kills).as("kills").isPositive();
            return repeated;
        }
    }

    private int runAndKill(Database database, PostgresStore store, int events, Form form) throws IOException {
        List<NodeProcess> nodes = new ArrayList<>();
        Instant deadline = Instant.now().plus(AT_MOST);
        Instant nextKill = nextKill();
        int killsMax = events < FEW ? KILLS_MAX_OF_FEW : KILLS_MAX;
        int kills = 0;
        try {
            for (int i = 0; i < NODES; i++) {
                nodes.add(NodeProcess.start(EffectNode.class, database, options(form, events / HALTS), folder));
            }
            while (!isDone(store, events)) {
                assertThat(Instant.now())
                        .as("after %d kills: %s", kills, store.browse().ledger(EffectNode.SUBSCRIPTION))
                        .isBefore(deadline);
                Load.pace(LOOK_EVERY);
                if (kills < killsMax && Instant.now().isAfter(nextKill)) {
                    nodes.get(random.nextInt(NODES)).kill();
                    nextKill = nextKill();
                }
                int halts = kills < killsMax ? events / HALTS : Integer.MAX_VALUE;
                kills += replaceDead(nodes, database, options(form, halts));
            }
        } finally {
            nodes.forEach(NodeProcess::close);
        }
        return kills;
    }

    private static List<String> options(Form form, int halts) {
        return List.of(
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-D" + EffectNode.FORM + "=" + form,
                "-D" + EffectNode.HALTS + "=" + halts);
    }

    private Instant nextKill() {
        return Instant.now()
                .plus(KILL_EVERY_AT_MOST.multipliedBy(random.nextInt(100)).dividedBy(100));
    }

    private int replaceDead(List<NodeProcess> nodes, Database database, List<String> options) throws IOException {
        int dead = 0;
        for (int i = 0; i < nodes.size(); i++) {
            if (!nodes.get(i).isAlive()) {
                dead++;
                nodes.set(i, NodeProcess.start(EffectNode.class, database, options, folder));
            }
        }
        return dead;
    }

    private static boolean isDone(PostgresStore store, int events) {
        Ledger ledger = store.browse().ledger(EffectNode.SUBSCRIPTION);
        return ledger.pending() == 0 && ledger.counts().delivered() == events;
    }

    private static void prepare(DataSource dataSource, PostgresStore store, int events) throws Exception {
        execute(dataSource, "CREATE TABLE effect (event uuid NOT NULL)");
        execute(dataSource, "CREATE TABLE repeated (event uuid NOT NULL)");
        execute(dataSource, "CREATE TABLE counter (key text PRIMARY KEY, count bigint NOT NULL)");
        execute(dataSource, "INSERT INTO counter SELECT 'key-' || n, 0 FROM generate_series(0, " + (KEYS - 1) + ") n");
        store.subscriptions().register(EffectNode.SUBSCRIPTION, Start.beginning(), NumberedEvent.TYPE);
        try (Postrider<Connection> postrider = Postrider.on(store)) {
            List<Event> all = IntStream.range(0, events)
                    .mapToObj(number -> Event.of(NumberedEvent.TYPE, new NumberedEvent.Content(number))
                            .key("key-" + number % KEYS))
                    .toList();
            postrider.transaction(transaction -> postrider.outbox().append(transaction, all));
        }
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long number(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
