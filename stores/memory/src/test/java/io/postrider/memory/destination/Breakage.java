package io.postrider.memory.destination;

import io.postrider.Headers;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Guarded;
import io.postrider.destination.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/** What can be wrong with a destination, and the test that has to find it. */
enum Breakage {
    ACKNOWLEDGES_WITHOUT_STORING("Dispatch", "what_is_acknowledged_has_arrived", "Expected size: 48", Sparing::new),
    ACKNOWLEDGES_WITHOUT_STORING_UNDER_LOAD(
            "Engine",
            "two_thousand_events_of_fifty_keys_arrive_in_the_order_of_their_keys",
            "Expected size: 2000",
            Sparing::new),
    RESENDS_LATE(
            "Engine", "two_thousand_events_of_fifty_keys_arrive_in_the_order_of_their_keys", "order of", Late::new),
    SAYS_DEAD_WHEN_DOWN(
            "Down",
            "while_the_server_is_down_each_event_is_down_and_none_to_blame",
            "Dead[why=down, ",
            to -> Forwarding.saying(to, outcome -> ifDown(outcome, Outcome.dead("down")))),
    SAYS_DEAD_WHEN_DOWN_UNDER_LOAD(
            "Engine",
            "a_crash_of_the_server_costs_nothing_but_time",
            "probes that failed",
            to -> Forwarding.saying(to, outcome -> ifDown(outcome, Outcome.dead("down")))),
    SAYS_RETRY_WHEN_DOWN(
            "Down",
            "while_the_server_is_down_each_event_is_down_and_none_to_blame",
            "Retry[at=null, why=down, counts=true, ",
            to -> Forwarding.saying(to, outcome -> ifDown(outcome, Outcome.retry("down")))),
    SAYS_DELIVERED_WHEN_NOBODY_ANSWERED(
            "Engine",
            "a_crash_of_the_server_costs_nothing_but_time",
            "probes that failed",
            to -> Forwarding.saying(to, outcome -> ifDown(outcome, Outcome.DELIVERED))),
    THROWS_WHEN_DOWN(
            "Down",
            "while_the_server_is_down_each_event_is_down_and_none_to_blame",
            "a failure instead of an answer",
            Throwing::new),
    SAYS_NOT_WHY_IT_IS_DOWN(
            "Down",
            "while_the_server_is_down_each_event_is_down_and_none_to_blame",
            "why it is down",
            to -> Forwarding.saying(to, outcome -> ifDown(outcome, Outcome.down("")))),
    HANGS_WHEN_NOBODY_ANSWERS(
            "Down", "events_that_nobody_answers_are_down_when_patience_is_over", "no answer within", Patient::new),
    PROBES_NOTHING(
            "Down",
            "the_probe_says_why_it_is_down_and_completes_when_it_is_back",
            "Expecting code to raise a throwable",
            Unprobed::new),
    HIDES_REFUSALS(
            "Dispatch",
            "a_refused_event_is_dead_with_the_words_of_who_refused_it",
            "Delivered[receipt=null]",
            to -> Forwarding.saying(to, outcome -> ifDead(outcome, Outcome.DELIVERED))),
    RETRIES_REFUSALS(
            "Engine",
            "refused_events_are_dead_and_the_others_go_on",
            "the post office",
            to -> Forwarding.saying(to, outcome -> ifDead(outcome, Outcome.retry("refused")))),
    MIXES_UP_OUTCOMES(
            "Dispatch", "the_others_of_a_dispatch_arrive_although_one_is_refused", "Outcome.Dead", Mixing::new),
    BOUNDS_NOTHING("Dispatch", "the_profile_names_it_and_bounds_what_is_under_way", "2147483647", Boundless::new),
    DROPS_HEADERS("Content", "an_event_arrives_as_it_was", "correlationId", Bare::new),
    SENDS_TWICE(
            "Dispatch",
            "an_event_dispatched_twice_arrives_once_where_the_server_deduplicates",
            "Expected size: 2 but was: 4",
            Twice::new),
    GOES_ON_AFTER_ITS_CLOSE("Dispatch", "after_its_close_everything_is_down", "Delivered[", Endless::new),
    NEVER_TELLS_THAT_IT_IS_CUT_OFF(
            "Down",
            "a_connected_destination_tells_that_it_is_cut_off_before_anyone_dispatches",
            "told",
            Misguarded::new),
    FINDS_WHAT_WAS_NEVER_THERE(
            "Dispatch",
            "what_a_guarded_destination_has_acknowledged_is_found_by_its_receipt",
            "forged",
            Misguarded::new);

    /** The suite that has the test. */
    final String suite;

    final String test;
    /** A part of what the test says. */
    final String finding;

    private final Function<FakeDestination, Destination> breaking;

    Breakage(String suite, String test, String finding, Function<FakeDestination, Destination> breaking) {
        this.suite = suite;
        this.test = test;
        this.finding = finding;
        this.breaking = breaking;
    }

    Destination open(FakeBroker broker) {
        Duration patience =
                this == HANGS_WHEN_NOBODY_ANSWERS ? Duration.ofHours(1) : FakeDestination.PROFILE.patience();
        return breaking.apply(new FakeDestination(broker, patience));
    }

    private static Outcome ifDown(Outcome outcome, Outcome instead) {
        return outcome.isDown() ? instead : outcome;
    }

    private static Outcome ifDead(Outcome outcome, Outcome instead) {
        return outcome.isDead() ? instead : outcome;
    }

    /** Sends all but the last of each dispatch. */
    private static final class Sparing extends Forwarding {
        Sparing(FakeDestination to) {
            super(to);
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            return super.dispatch(dispatches.subList(0, dispatches.size() - 1)).thenApply(outcomes -> {
                List<Outcome> all = new ArrayList<>(outcomes);
                all.add(Outcome.DELIVERED);
                return all;
            });
        }
    }

    /** Keeps some back, says that they are there, and sends them when a hundred others have gone. */
    private static final class Late extends Forwarding {
        private static final int EACH = 7;
        private static final int LATER = 100;
        private final List<Dispatch> kept = new ArrayList<>();
        private int count;

        Late(FakeDestination to) {
            super(to);
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            return super.dispatch(later(dispatches))
                    .thenApply(outcomes -> Collections.nCopies(dispatches.size(), Outcome.DELIVERED));
        }

        private synchronized List<Dispatch> later(List<Dispatch> dispatches) {
            List<Dispatch> now = new ArrayList<>();
            for (Dispatch dispatch : dispatches) {
                count++;
                (count % EACH == 0 && count < 1_500 ? kept : now).add(dispatch);
                if (count % LATER == 0) {
                    now.addAll(kept);
                    kept.clear();
                }
            }
            return now;
        }
    }

    private static final class Throwing extends Forwarding {
        Throwing(FakeDestination to) {
            super(to);
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            return super.dispatch(dispatches).thenApply(outcomes -> {
                if (outcomes.stream().anyMatch(Outcome.Down.class::isInstance)) {
                    throw new IllegalStateException("down");
                }
                return outcomes;
            });
        }
    }

    /** Waits for an hour. */
    private static final class Patient extends Forwarding {
        Patient(FakeDestination to) {
            super(to);
        }
    }

    private static final class Unprobed extends Forwarding {
        Unprobed(FakeDestination to) {
            super(to);
        }

        @Override
        public CompletionStage<Void> probe() {
            return CompletableFuture.completedStage(null);
        }
    }

    private static final class Mixing extends Forwarding {
        Mixing(FakeDestination to) {
            super(to);
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            return super.dispatch(dispatches).thenApply(outcomes -> {
                List<Outcome> turned = new ArrayList<>(outcomes);
                Collections.rotate(turned, 1);
                return turned;
            });
        }
    }

    private static final class Boundless extends Forwarding {
        Boundless(FakeDestination to) {
            super(to);
        }

        @Override
        public Profile profile() {
            return new Profile("boundless", 16, Integer.MAX_VALUE, FakeDestination.PROFILE.patience());
        }
    }

    private static final class Bare extends Forwarding {
        Bare(FakeDestination to) {
            super(to);
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            return super.dispatch(dispatches.stream().map(Bare::strip).toList());
        }

        private static Dispatch strip(Dispatch dispatch) {
            StoredEvent event = dispatch.event();
            StoredEvent bare = new StoredEvent(
                    event.position(),
                    event.lane(),
                    event.id(),
                    event.type(),
                    event.key(),
                    event.payload(),
                    Headers.NONE,
                    event.tenant(),
                    event.appendedAt());
            return new Dispatch(dispatch.subscription(), bare, dispatch.attempt());
        }
    }

    /** To a server that does not mind; it is not declared. */
    private static final class Twice extends Forwarding {
        Twice(FakeDestination to) {
            super(to);
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            return super.dispatch(dispatches).thenCompose(outcomes -> super.dispatch(dispatches));
        }
    }

    private static final class Endless extends Forwarding {
        Endless(FakeDestination to) {
            super(to);
        }

        @Override
        public void close() {}
    }

    /** Guarded by someone who sees nothing and confirms everything. */
    private static final class Misguarded extends Forwarding implements Guarded {
        Misguarded(FakeDestination to) {
            super(to);
        }

        @Override
        public void onCutOff(Consumer<String> listener) {}

        @Override
        public CompletionStage<List<Boolean>> verify(List<Sealed> seals) {
            return CompletableFuture.completedStage(Collections.nCopies(seals.size(), true));
        }
    }
}
