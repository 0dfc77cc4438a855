package io.postrider.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.embedded.EmbeddedPostgresConfig;
import io.postrider.embedded.EmbeddedPostgresException;
import io.postrider.operate.Counts;
import io.postrider.operate.Ledger;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.RetryPolicy;
import io.postrider.postgres.PostgresStore;
import io.postrider.store.StoreException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * Appends payouts in business transactions and delivers them to wallets, on an embedded PostgreSQL whose data is kept.
 *
 * <p>Options: {@code --rate N} payouts a second (200), {@code --seconds N} to stop by itself.
 */
public final class Demo {
    private static final int POOL = 12;
    /** A short lease, so that after a kill the next start does not wait long for the lanes of the one before. */
    private static final PostriderConfig CONFIG = PostriderConfig.defaults()
            .limits(NodeLimits.builder().lease(Duration.ofSeconds(3)).build());

    private Demo() {}

    public static void main(String[] args) throws Exception {
        try {
            run(Options.parse(args));
        } catch (IllegalArgumentException | IllegalStateException | EmbeddedPostgresException | StoreException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private static void run(Options options) throws Exception {
        Path folder = Path.of(System.getenv().getOrDefault("POSTRIDER_HOME", ".postrider"), "postgres");
        System.out.println(
                "Postrider demo. Data is kept in " + folder.toAbsolutePath().normalize());
        EmbeddedPostgres server = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(folder));
        System.out.println("PostgreSQL listens on " + server.jdbcUrl() + ", stop with Ctrl-C");
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            asked.countDown();
            await(stopped);
        }));
        try {
            deliver(server, options, asked);
        } finally {
            server.stop();
            stopped.countDown();
        }
    }

    private static void deliver(EmbeddedPostgres server, Options options, CountDownLatch asked) throws Exception {
        try (HikariDataSource dataSource = pool(server)) {
            createTables(dataSource);
            PostgresStore store = PostgresStore.of(dataSource);
            Wallets wallets = new Wallets(dataSource);
            ScheduledExecutorService load = Executors.newScheduledThreadPool(3);
            try (Postrider<Connection> postrider = Postrider.on(store, CONFIG)) {
                postrider
                        .subscribe("wallet")
                        .on("payout.generated", PayoutGenerated.class, wallets::credit)
                        .retry(RetryPolicy.DEFAULT.attempts(5))
                        .start();
                Payouts payouts = new Payouts(postrider);
                load.scheduleAtFixedRate(() -> generate(payouts), 0, 1_000_000 / options.rate(), TimeUnit.MICROSECONDS);
                show(store, wallets, asked, options.seconds());
                load.shutdown();
                load.awaitTermination(5, TimeUnit.SECONDS);
                System.out.println("\nStopping: what is running finishes, the rest waits for the next start");
            } finally {
                load.shutdownNow();
            }
            summarise(store.browse().ledger("wallet"));
        }
    }

    private static void generate(Payouts payouts) {
        try {
            payouts.generate();
        } catch (Exception e) {
            System.err.println("A payout failed, neither row nor event was written: " + e);
        }
    }

    private static void show(PostgresStore store, Wallets wallets, CountDownLatch asked, long seconds)
            throws InterruptedException {
        boolean terminal = System.console() != null;
        StatusLine line = new StatusLine(System.out, terminal);
        Instant end = seconds == 0 ? Instant.MAX : Instant.now().plusSeconds(seconds);
        Duration pause = terminal ? Duration.ofMillis(500) : Duration.ofSeconds(1);
        while (!asked.await(pause.toMillis(), TimeUnit.MILLISECONDS)
                && Instant.now().isBefore(end)) {
            line.show(store.browse().progress("wallet"), wallets.failures(), Instant.now());
        }
    }

    private static void summarise(Ledger ledger) {
        Counts counts = ledger.counts();
        System.out.printf(
                "appended %,d = delivered %,d + pending %,d + waiting %,d + dead %,d + skipped %,d%n",
                ledger.appended(),
                counts.delivered(),
                ledger.pending(),
                counts.parked(),
                counts.dead(),
                counts.skipped());
    }

    private static void createTables(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("""
                    CREATE TABLE IF NOT EXISTS payout (id uuid PRIMARY KEY, team text NOT NULL, amount bigint NOT NULL);
                    CREATE TABLE IF NOT EXISTS wallet (team text PRIMARY KEY, balance bigint NOT NULL)
                    """);
        }
    }

    private static HikariDataSource pool(EmbeddedPostgres server) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.jdbcUrl());
        config.addDataSourceProperty("socketTimeout", "60");
        config.setUsername(server.user());
        config.setPassword(server.password());
        config.setMaximumPoolSize(POOL);
        return new HikariDataSource(config);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private record Options(int rate, long seconds) {
        static Options parse(String[] args) {
            int rate = 200;
            long seconds = 0;
            for (int i = 0; i < args.length; i++) {
                String value = i + 1 < args.length ? args[i + 1] : "";
                switch (args[i]) {
                    case "--rate" -> rate = (int) number("--rate", value, 10_000);
                    case "--seconds" -> seconds = number("--seconds", value, 1_000_000);
                    default -> throw new IllegalArgumentException("unknown option '" + args[i] + "'");
                }
                i++;
            }
            return new Options(rate, seconds);
        }

        private static long number(String option, String value, long most) {
            if (!value.matches("[1-9][0-9]{0,8}") || Long.parseLong(value) > most) {
                throw new IllegalArgumentException(option + " is 1 to " + most + ", got '" + value + "'");
            }
            return Long.parseLong(value);
        }
    }
}
