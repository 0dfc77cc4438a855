package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Postrider;
import io.postrider.operate.Counts;
import io.postrider.operate.Ledger;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The rule of rolling upgrades, with a migration that only this test has: a migration that says {@code -- serves: N} is
 * made under nodes that know no more than N, and they go on; one that says nothing refuses them.
 */
class UpgradeTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int CODE = PostgresMigrator.codeVersion();

    private final TestDatabase database = new TestDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_migration_that_serves_the_nodes_there_are_is_made_under_them_and_no_event_is_lost() throws Exception {
        PostgresStore store = database.store();
        AtomicLong delivered = new AtomicLong();
        try (Postrider<Connection> node = Postrider.on(store)) {
            node.subscribe("all")
                    .on("paid", (payload, context) -> delivered.incrementAndGet())
                    .start();
            long appended = appendedMeanwhile(() -> {
                migrate("-- serves: " + CODE + "\nALTER TABLE ${schema}.event_log ADD COLUMN more text;"
                        + " ALTER TABLE ${schema}.delivery ADD COLUMN more text;");
                long before = delivered.get();
                Eventually.holds(LONG, () -> assertThat(delivered.get()).isGreaterThan(before + 20));
            });
            Eventually.holds(
                    LONG,
                    () -> assertThat(store.browse().ledger("all"))
                            .isEqualTo(new Ledger(new Counts(appended, 0, 0, 0, 0, 0), 0)));
            assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(appended);
        }
        assertThat(database.store().browse().subscriptions())
                .as("an old node that restarts")
                .hasSize(1);
    }

    @Test
    void a_migration_that_serves_nobody_older_refuses_the_next_start_of_an_older_node() {
        database.store();
        migrate("ALTER TABLE ${schema}.event_log ADD COLUMN more text");
        assertThatThrownBy(database::store)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("serves code from version " + (CODE + 1) + " on")
                .hasMessageContaining("run a newer Postrider");
    }

    @Test
    void a_later_migration_that_serves_older_nodes_does_not_take_back_what_one_before_it_has_refused() {
        database.store();
        migrate("ALTER TABLE ${schema}.event_log ADD COLUMN more text", "-- serves: " + CODE + "\nSELECT 1");
        assertThatThrownBy(database::store)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("serves code from version " + (CODE + 1) + " on");
    }

    private void migrate(String... texts) {
        List<Migration> known = Migration.known();
        for (String text : texts) {
            Migration next = Migration.of("V" + (known.get(known.size() - 1).version() + 1) + "__test.sql", text);
            known = Stream.concat(known.stream(), Stream.of(next)).toList();
        }
        new PostgresMigrator(new Jdbc(database.dataSource(), database.schema()), database.config(), known).apply();
    }

    /** How many events were appended, one by one, while something was done. */
    private long appendedMeanwhile(Runnable work) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong appended = new AtomicLong();
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> appends = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                append("k" + appended.get() % 7);
                appended.incrementAndGet();
                begun.countDown();
            }
        });
        try {
            assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
            work.run();
        } finally {
            over.set(true);
        }
        appends.get(30, TimeUnit.SECONDS);
        return appended.get();
    }

    private void append(String key) {
        try {
            database.execute("SELECT {append}('paid', '{}', key => '" + key + "')");
        } catch (SQLException e) {
            throw new IllegalStateException("an append failed beside the migration", e);
        }
    }
}
