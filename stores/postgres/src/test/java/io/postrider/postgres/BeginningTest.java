package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.operate.By;
import io.postrider.operate.Counts;
import io.postrider.operate.Operate.Answer;
import io.postrider.operate.Operation;
import io.postrider.operate.Why;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.Park;
import io.postrider.store.Settlement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where a subscription began is known as long as there is the subscription, although its first settlements go. */
class BeginningTest {
    private static final String SUBSCRIPTION = "late";
    private static final Duration RETAIN = Duration.ofHours(1);

    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void events_from_before_the_start_are_in_no_view_and_are_found_by_nobody() throws SQLException {
        registerBehindAnEvent();
        settleUntilTheFirstAreOfThePast();
        assertThatTheEventIsFromBeforeTheStart();
    }

    private void registerBehindAnEvent() throws SQLException {
        database.execute("SELECT {append}('before', '{}', key => 'k')");
        store.subscriptions().register(SUBSCRIPTION, Start.end(), "**");
    }

    private void settleUntilTheFirstAreOfThePast() throws SQLException {
        store.renew().renew("node", Duration.ofHours(1), Set.of(SUBSCRIPTION));
        List<Claim.ClaimedLane> lanes = store.claim()
                .claim(
                        new Claim.Claimant("node", SUBSCRIPTION, "**", Park.View.of(Park.Wanted.WAITING)),
                        List.of(),
                        Lane.COUNT_DEFAULT);
        for (int number = 1; number <= 50; number++) {
            for (Claim.ClaimedLane lane : lanes) {
                assertThat(store.settle()
                                .settle(new Settlement(
                                        lane.ownership(), number, lane.cursor(), Counts.NONE, List.of(), List.of())))
                        .isTrue();
            }
            if (number % 10 == 0) {
                store.prune().prune(RETAIN);
            }
        }
        Eventually.holds(Duration.ofSeconds(60), () -> {
            store.prune().prune(RETAIN);
            assertThat(database.number("SELECT count(*) FROM {settlement} WHERE number = 0"))
                    .isZero();
        });
    }

    private void assertThatTheEventIsFromBeforeTheStart() throws SQLException {
        Position position = new Position(database.number("SELECT min(position) FROM {event_log}"));
        EventId id = store.search()
                .events(EventFilter.ALL, null, 1)
                .hits()
                .get(0)
                .event()
                .id();
        assertThat(store.search().why(SUBSCRIPTION, id)).isEqualTo(new Why.BeforeStart());
        assertThat(store.operations()
                        .preview(Operation.Target.delivered(SUBSCRIPTION), 1)
                        .count())
                .isZero();
        assertThat(store.operate().replayDelivered(SUBSCRIPTION, position, new By("ann", "")))
                .isEqualTo(Answer.BEFORE_START);
        for (String view : List.of("event_delivered", "event_standing", "event_outbox", "outbox_events")) {
            assertThat(database.number("SELECT count(*) FROM {" + view + "}"))
                    .as(view)
                    .isZero();
        }
    }
}
