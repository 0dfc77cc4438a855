package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Start;
import io.postrider.spi.Claim;
import io.postrider.spi.Park;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node that renews late keeps its lanes, or learns that they are another's: never both. */
class LateRenewalTest {
    private static final String RENEW = "UPDATE {node} SET lease_until = now() + interval '1 hour' WHERE id = 'late'";

    private final TestDatabase database = new TestDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void no_lane_is_claimed_while_its_late_owner_renews() throws SQLException {
        PostgresStore store = database.store();
        store.register("letters", Start.beginning(), "");
        renew(store, "late");
        assertThat(claim(store, "late")).hasSize(16);
        database.execute("UPDATE {node} SET lease_until = now() - interval '1 hour' WHERE id = 'late'");
        renew(store, "next");
        try (Connection renewal = database.begin();
                var statement = renewal.createStatement()) {
            statement.executeUpdate(RENEW.replace("{node}", database.schema() + ".node"));
            assertThat(claim(store, "next")).as("while it renews").isEmpty();
            renewal.rollback();
        }
        assertThat(claim(store, "next")).as("when it did not").hasSize(16);
    }

    private static void renew(PostgresStore store, String node) {
        store.renew(node, Duration.ofHours(1), Set.of("letters"));
    }

    private static List<Claim.ClaimedLane> claim(PostgresStore store, String node) {
        return store.claim(new Claim.Claimant(node, "letters", "", Park.View.of(Park.Wanted.NONE)), List.of(), 16);
    }
}
