package io.postrider.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Lane;
import io.postrider.engine.base.Budget;
import io.postrider.engine.base.SystemEnvironment;
import io.postrider.engine.dispatch.Claimed;
import io.postrider.engine.dispatch.Dispatcher;
import io.postrider.engine.dispatch.Draft;
import io.postrider.engine.dispatch.Flight;
import io.postrider.engine.dispatch.Item;
import io.postrider.engine.dispatch.Landing;
import io.postrider.engine.dispatch.Routes;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.operate.Counts;
import io.postrider.policy.AfterDead;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Retention;
import io.postrider.policy.RetryPolicy;
import io.postrider.policy.Start;
import io.postrider.policy.SubscriptionLimits;
import io.postrider.store.Cursor;
import io.postrider.store.Ownership;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LaneDispatchTest {
    private static final SubscriptionSpec SPEC = new SubscriptionSpec(
            "s",
            Start.beginning(),
            true,
            AfterDead.GO_ON,
            RetryPolicy.DEFAULT,
            Map.of(),
            new Routes(Map.of()),
            SubscriptionLimits.DEFAULT,
            null,
            null,
            Retention.DEFAULT,
            null);

    private final SystemEnvironment environment = new SystemEnvironment();
    private final Budget budget =
            new Budget(NodeLimits.builder().inFlightEvents(1_000).build());
    private final List<Flight> flights = new ArrayList<>();
    private final LaneDispatch lane = new LaneDispatch(SPEC, environment, owner(), 1, new Flight.Reports() {
        @Override
        public void landed(Flight flight, Landing landing) {}

        @Override
        public void straggler(Item item) {}
    });

    @AfterEach
    void close() {
        environment.close();
    }

    @Test
    void a_flight_that_is_not_under_way_any_more_does_not_land_again() {
        Flight first = dispatched();
        assertThat(lane.landed(first)).isTrue();
        Flight second = dispatched();
        assertThat(lane.landed(first)).isFalse();
        assertThat(lane.isIdle()).isFalse();
        assertThat(lane.landed(second)).isTrue();
        assertThat(lane.isIdle()).isTrue();
    }

    private Flight dispatched() {
        assertThat(lane.reserve(1, () -> {})).isTrue();
        Draft draft = new Draft(
                new Ownership("s", new Lane(0), 1, "node"),
                1,
                implemented(Cursor.class, Map.of()),
                Counts.NONE,
                List.of(),
                null);
        lane.dispatch(new Claimed(List.of(), null, Set.of()), List.of(), draft, () -> true);
        return flights.get(flights.size() - 1);
    }

    private LaneOwner owner() {
        Dispatcher dispatcher = new Dispatcher() {
            @Override
            public void dispatch(Flight flight) {
                flights.add(flight);
            }

            @Override
            public void cut(Flight flight, String why) {}
        };
        return implemented(LaneOwner.class, Map.of("budget", budget, "dispatcher", dispatcher));
    }

    /** Answers to these methods, and to no others. */
    private static <P> P implemented(Class<P> port, Map<String, ?> answers) {
        return port.cast(
                Proxy.newProxyInstance(port.getClassLoader(), new Class<?>[] {port}, (proxy, method, given) -> {
                    assertThat(answers).containsKey(method.getName());
                    return answers.get(method.getName());
                }));
    }
}
