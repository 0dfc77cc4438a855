package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.destination.Guarded;
import io.postrider.destination.Receipt;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.Ownership;
import io.postrider.store.Park;
import io.postrider.store.Seal;
import io.postrider.store.Seals.Lost;
import io.postrider.store.Seals.Sealing;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Settlements with seals become of the past like all others, and their seals are read and taken away there. */
class PastSealsTest {
    /**
     * Of the settlements 1 to 30, those that are not in the oldest segment, and the one of it that was copied forward.
     */
    private static final int WITHOUT_THE_OLDEST = 21;

    private static final Duration DAY = Duration.ofDays(1);
    private static final Guarded.Sealed SEALED =
            new Guarded.Sealed(new Receipt("stream", 7), new EventId(new UUID(1, 2)));

    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();
    private final PostgresSeals seals = new PostgresSeals(new Jdbc(database.dataSource(), database.schema()));

    @BeforeEach
    void settle() throws SQLException {
        store.subscriptions().register("guarded", Start.beginning(), "");
        settleAndRotate(1);
        settleAndRotate(11);
        settle(21);
        assertThat(database.number("SELECT count(*) FROM {segment} WHERE detached"))
                .isEqualTo(2);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void seals_are_read_from_the_newest_back_each_once() {
        Ownership lane = lane();
        List<Long> all =
                LongStream.iterate(30, number -> number - 1).limit(30).boxed().toList();
        assertThat(numbers(seals.sealings(lane, Long.MAX_VALUE, DAY, 100))).isEqualTo(all);
        List<Long> paged = new ArrayList<>();
        for (long before = Long.MAX_VALUE; before > 1; before = paged.get(paged.size() - 1)) {
            paged.addAll(numbers(seals.sealings(lane, before, DAY, 7)));
        }
        assertThat(paged).isEqualTo(all);
        assertThat(numbers(seals.sealings(lane, 15, DAY, 2))).containsExactly(14L, 13L);
    }

    @Test
    void seals_of_another_subscription_of_the_same_name_and_old_ones_are_left_out() throws SQLException {
        Ownership lane = lane();
        database.execute("UPDATE {settlement_1} SET settled_at = settled_at - interval '2 days'");
        assertThat(seals.sealings(lane, Long.MAX_VALUE, DAY, 100)).hasSize(WITHOUT_THE_OLDEST);
        database.execute("UPDATE {subscription} SET created_at = now() + interval '1 hour'");
        assertThat(seals.sealings(lane, Long.MAX_VALUE, DAY, 100)).isEmpty();
    }

    @Test
    void a_broken_seal_of_the_past_is_taken_away_wherever_its_settlement_is_copied_to() {
        Ownership lane = lane();
        List<Sealing> broken = List.of(new Sealing(20, List.of(seal())), new Sealing(3, List.of(seal())));
        Ownership earlier = new Ownership(lane.subscription(), lane.lane(), lane.epoch() - 1, lane.incarnation());
        assertThat(seals.lose(earlier, broken)).isFalse();
        assertThat(seals.sealings(lane, Long.MAX_VALUE, DAY, 100)).hasSize(30);

        assertThat(seals.lose(lane, broken)).isTrue();

        assertThat(numbers(seals.sealings(lane, Long.MAX_VALUE, DAY, 100)))
                .hasSize(28)
                .doesNotContain(20L, 3L);
        assertThat(seals.lost(lane, 10)).extracting(Lost::seal).containsExactly(seal(), seal());
    }

    @Test
    void a_segment_that_is_dropped_meanwhile_has_no_seals() throws SQLException {
        Ownership lane = lane();
        database.execute("DROP TABLE {settlement_1}");
        assertThat(seals.sealings(lane, Long.MAX_VALUE, DAY, 100)).hasSize(WITHOUT_THE_OLDEST);
        assertThat(seals.lose(lane, List.of(new Sealing(3, List.of(seal()))))).isTrue();
    }

    private static Seal seal() {
        return new Seal("broker", SEALED, List.of(new Position(5)));
    }

    private static List<Long> numbers(List<Sealing> sealings) {
        return sealings.stream().map(Sealing::settlement).toList();
    }

    private Ownership lane() {
        Claim.Claimant claimant = new Claim.Claimant("node", "guarded", "", Park.View.of(Park.Wanted.WAITING));
        return store.claim()
                .claim(claimant, List.of(), Lane.COUNT_DEFAULT)
                .get(0)
                .ownership();
    }

    private void settle(int from) throws SQLException {
        database.execute("""
                INSERT INTO {settlement} (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                    delivered, skipped, parked, dead, expired, discarded, seals)
                SELECT subscription, lane, epoch, %1$d + n, 0, '1:1:', '1', 0, 0, 0, 0, 0, 0, 0, '%2$s'
                FROM {lane}, generate_series(0, 9) AS n
                """.formatted(from, SealText.of(List.of(seal()))));
    }

    /** So many settlements of each lane that their segment is full, and prunes that go on to the next. */
    private void settleAndRotate(int from) throws SQLException {
        settle(from);
        long before = database.number("SELECT last_value FROM {settlement_position}");
        Eventually.holds(Duration.ofSeconds(60), () -> {
            store.prune().prune(Duration.ofDays(1));
            assertThat(database.number("SELECT last_value FROM {settlement_position}"))
                    .isGreaterThan(before);
        });
        store.prune().prune(Duration.ofDays(1));
    }
}
