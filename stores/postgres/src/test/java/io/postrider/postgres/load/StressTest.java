package io.postrider.postgres.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.postgres.Eventually;
import io.postrider.postgres.PostgresStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sixteen writers, two transactions that are open for seconds at a time, and two nodes as processes of their own, of
 * which one is killed and replaced: the log is delivered whole and in order, and nobody waits for the long
 * transactions.
 */
class StressTest {
    private static final int WRITERS = 16;
    private static final List<String> KEYS = IntStream.range(0, 200)
            .mapToObj(number -> "key-%03d".formatted(number))
            .toList();
    private static final String HELD_KEY = "held";
    private static final Duration APPENDER_HOLDS = Duration.ofMillis(2_500);
    private static final Duration UNRELATED_HOLDS = Duration.ofMillis(3_200);

    private static final Duration BEFORE_KILL = Duration.ofSeconds(12);
    private static final Duration BEFORE_REPLACEMENT = Duration.ofSeconds(6);
    private static final Duration AFTER_REPLACEMENT = Duration.ofSeconds(18);
    private static final Duration DRAIN = Duration.ofSeconds(30);

    private static final Duration LAG_LIMIT = Duration.ofMillis(250);
    /** Silent until its lease ends, found by the next renewal of the other node, and then a backlog to deliver. */
    private static final Duration TAKEOVER =
            DeliveryNode.LEASE.plus(DeliveryNode.LEASE.dividedBy(3)).plusSeconds(1);

    @TempDir
    Path folder;

    private final WriterLedger ledger = new WriterLedger();
    private final Windows takeover = new Windows();
    private int nodes;

    @Test
    void under_load_nothing_is_lost_resurrected_or_inverted() throws Exception {
        assertThat(lagsUnderLoad().count()).as("measured events").isPositive();
    }

    /** Needs a machine of its own: sixteen writers and two nodes use all of it. */
    @Test
    @Tag("heavy")
    void under_load_long_transactions_delay_nobody_else() throws Exception {
        Lags lags = lagsUnderLoad();
        assertThat(lags.percentile(99))
                .as(
                        "p99 from commit to arrival while both long transactions are open, without the %d ms after the"
                                + " kill in which the victim's lanes wait for its lease to end (%s)",
                        TAKEOVER.toMillis(), lags)
                .isLessThan(LAG_LIMIT);
    }

    private Lags lagsUnderLoad() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.temporary(Map.of());
                HikariDataSource pool = Database.of(server).pool(WRITERS + 4);
                Postrider<Connection> postrider = Postrider.on(PostgresStore.of(pool));
                Load load = new Load()) {
            createTables(pool);
            NumberedAppend append = new NumberedAppend(postrider.outbox());
            LongTransaction appender = new LongTransaction(pool, APPENDER_HOLDS, connection -> {
                NumberedEvent held = append.append(connection, HELD_KEY);
                return () -> ledger.committed(List.of(held));
            });
            LongTransaction unrelated = new LongTransaction(pool, UNRELATED_HOLDS, StressTest::writeUnrelated);
            Database database = Database.of(server);
            try (NodeProcess survivor = startNode(database);
                    NodeProcess victim = startNode(database)) {
                awaitNodes(pool, 2);
                load.start(appender);
                load.start(unrelated);
                for (int i = 0; i < WRITERS; i++) {
                    load.start(new Writer(pool, append, KEYS, ledger, i));
                }
                Load.pace(BEFORE_KILL);
                victim.kill();
                Instant killed = Instant.now();
                takeover.add(killed.minus(LAG_LIMIT), killed.plus(TAKEOVER));
                Load.pace(BEFORE_REPLACEMENT);
                try (NodeProcess replacement = startNode(database)) {
                    Load.pace(AFTER_REPLACEMENT);
                    load.stop();
                    awaitDrain();
                    replacement.stop();
                    survivor.stop();
                }
            }
            return judge(appender.open(), unrelated.open());
        }
    }

    private Lags judge(Windows appenderOpen, Windows unrelatedOpen) throws Exception {
        Oracle oracle = new Oracle(ledger.events(), arrivals());
        Lags lags = new Lags(ledger.commits().stream()
                .filter(commit -> !commit.event().key().equals(HELD_KEY))
                .filter(commit -> appenderOpen.contain(commit.at()) && unrelatedOpen.contain(commit.at()))
                .filter(commit -> !takeover.contain(commit.at()))
                .mapToLong(commit -> Duration.between(commit.at(), oracle.firstArrival(commit.event()))
                        .toNanos()));
        System.out.printf(
                "%d events committed, %d undone, %d delivered a second time; lag of %d others: %s%n",
                ledger.events().size(), ledger.undone().size(), oracle.duplicates(), lags.count(), lags);
        assertThat(ledger.undone()).as("undone events").isNotEmpty();
        assertThat(oracle.lost()).as("lost events").isEmpty();
        assertThat(oracle.resurrected(ledger.undone()))
                .as("events of transactions that were rolled back")
                .isEmpty();
        assertThat(oracle.inversions()).as("inversions within a key").isEmpty();
        assertThat(lags.count())
                .as("measured events")
                .isGreaterThan(ledger.events().size() / 2);
        return lags;
    }

    private static void createTables(HikariDataSource pool) throws SQLException {
        KeyTable.create(pool, Stream.concat(KEYS.stream(), Stream.of(HELD_KEY)).toList());
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE unrelated (number bigint)");
        }
    }

    private static Runnable writeUnrelated(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("INSERT INTO unrelated VALUES (1)");
        }
        return () -> {};
    }

    private NodeProcess startNode(Database database) throws Exception {
        Path arrivals = folder.resolve("arrivals-" + nodes++);
        NodeProcess node = NodeProcess.start(DeliveryNode.class, database, List.of(), arrivals);
        try {
            node.awaitLine(DeliveryNode.READY);
        } catch (Exception e) {
            node.close();
            throw e;
        }
        return node;
    }

    /** Until this many nodes own lanes. */
    private static void awaitNodes(HikariDataSource pool, int count) {
        Eventually.holds(DRAIN, () -> {
            try (Connection connection = pool.getConnection();
                    var statement = connection.createStatement();
                    var row = statement.executeQuery("SELECT count(DISTINCT owner) FROM postrider.lane")) {
                row.next();
                assertThat(row.getInt(1)).as("nodes that own lanes").isEqualTo(count);
            }
        });
    }

    private void awaitDrain() {
        Eventually.holds(
                DRAIN,
                () -> assertThat(new Oracle(ledger.events(), arrivals()).lost())
                        .as("events that have not arrived within %s", DRAIN)
                        .isEmpty());
    }

    private List<Arrival> arrivals() throws Exception {
        List<Arrival> arrivals = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                arrivals.addAll(ArrivalLedger.read(file));
            }
        }
        return arrivals;
    }
}
