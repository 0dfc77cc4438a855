package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.Park;
import io.postrider.store.Renew;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that renews late keeps its lanes, or learns that they are another's: never both. */
class LateRenewalTest {
    private static final String RENEW = "UPDATE {node} SET lease_until = now() + interval '1 hour' WHERE id = 'late'";
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofSeconds(2);

    private final TestDatabase database = new TestDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void no_lane_is_claimed_while_its_late_owner_renews() throws SQLException {
        PostgresStore store = database.store();
        store.subscriptions().register("letters", Start.beginning(), "");
        renew(store, "late");
        assertThat(claim(store, "late")).hasSize(16);
        database.execute("UPDATE {node} SET lease_until = now() - interval '1 hour' WHERE id = 'late'");
        renew(store, "next");
        try (Connection renewal = database.begin();
                var statement = renewal.createStatement()) {
            statement.executeUpdate(sql(RENEW));
            assertThat(claim(store, "next")).as("while it renews").isEmpty();
            renewal.rollback();
        }
        assertThat(claim(store, "next")).as("when it did not").hasSize(16);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ"})
    void a_lease_that_ran_out_while_a_claim_took_the_lanes_is_not_extended(String isolation) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(isolation)) {
            PostgresStore store = PostgresStore.of(pool, database.config());
            boolean extended = whileTheLanesAreTaken(store, () -> store.renew().extend("late", LONG));
            assertThat(extended).isFalse();
            assertThat(store.renew().extend("late", LONG)).as("asked again").isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ"})
    void a_renewal_that_waited_for_a_claim_knows_that_the_lanes_are_gone(String isolation) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(isolation)) {
            PostgresStore store = PostgresStore.of(pool, database.config());
            Renew.Renewal renewal =
                    whileTheLanesAreTaken(store, () -> store.renew().renew("late", LONG, Set.of("letters")));
            assertThat(renewal.kept()).isFalse();
            assertThat(renewal.held()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ"})
    void a_lease_whose_row_another_session_changes_meanwhile_is_extended(String isolation) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(isolation)) {
            PostgresStore store = PostgresStore.of(pool, database.config());
            assertThat(whileItsRowIsChanged(store).join()).isTrue();
        }
    }

    /** The owner asks while its lease is good; a claim has its row until the lease ran out and the lanes are taken. */
    private <R> R whileTheLanesAreTaken(PostgresStore store, Supplier<R> asks) throws SQLException {
        store.subscriptions().register("letters", Start.beginning(), "");
        store.renew().renew("late", SHORT, Set.of("letters"));
        assertThat(claim(store, "late")).hasSize(16);
        try (Connection claim = database.begin();
                var statement = claim.createStatement()) {
            statement.execute(sql("SELECT FROM {node} WHERE id = 'late' FOR SHARE"));
            CompletableFuture<R> asked = CompletableFuture.supplyAsync(asks);
            awaitWaiting();
            statement.execute(sql("""
                    SELECT pg_sleep(extract(epoch FROM lease_until - clock_timestamp()) + 0.01)
                    FROM {node} WHERE id = 'late'
                    """));
            statement.execute(sql("UPDATE {lane} SET owner = 'next', epoch = epoch + 1"));
            claim.commit();
            return asked.join();
        }
    }

    private CompletableFuture<Boolean> whileItsRowIsChanged(PostgresStore store) throws SQLException {
        renew(store, "late");
        try (Connection change = database.begin();
                var statement = change.createStatement()) {
            statement.execute(sql("UPDATE {node} SET draining = true WHERE id = 'late'"));
            CompletableFuture<Boolean> extended =
                    CompletableFuture.supplyAsync(() -> store.renew().extend("late", LONG));
            awaitWaiting();
            change.commit();
            return extended;
        }
    }

    private void awaitWaiting() {
        Eventually.holds(
                Duration.ofSeconds(60),
                () -> assertThat(database.number("""
                        SELECT count(*) FROM pg_stat_activity
                        WHERE wait_event_type = 'Lock' AND query LIKE '%%%s.%%'
                        """.formatted(database.schema())))
                        .isEqualTo(1));
    }

    private String sql(String text) {
        return text.replaceAll("\\{(\\w+)}", database.schema() + ".$1");
    }

    private static void renew(PostgresStore store, String node) {
        store.renew().renew(node, LONG, Set.of("letters"));
    }

    private static List<Claim.ClaimedLane> claim(PostgresStore store, String node) {
        return store.claim()
                .claim(new Claim.Claimant(node, "letters", "", Park.View.of(Park.Wanted.NONE)), List.of(), 16);
    }
}
