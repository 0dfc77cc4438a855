package io.postrider.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a node and a subscription bound. */
class LimitsTest {

    @Test
    void a_limit_belongs_to_a_node_or_to_a_subscription_and_to_no_two() {
        assertThat(names(NodeLimits.Builder.class))
                .doesNotContainAnyElementsOf(names(SubscriptionLimits.Builder.class));
    }

    @Test
    void every_limit_that_can_be_set_can_be_read() {
        assertThat(names(NodeLimits.class)).containsAll(names(NodeLimits.Builder.class));
        assertThat(names(SubscriptionLimits.class)).containsAll(names(SubscriptionLimits.Builder.class));
    }

    @Test
    void a_change_starts_from_what_is_there_and_changes_nothing_else() throws Exception {
        SubscriptionLimits few =
                SubscriptionLimits.builder().parkedMax(3).batchEvents(7).build();
        SubscriptionLimits changed = few.change().concurrency(4).build();
        assertThat(changed.concurrency()).isEqualTo(4);
        assertThat(few.concurrency()).isEqualTo(SubscriptionLimits.DEFAULT.concurrency());
        for (Method accessor : accessors(SubscriptionLimits.class).toList()) {
            if (!accessor.getName().equals("concurrency")) {
                assertThat(accessor.invoke(changed)).as(accessor.getName()).isEqualTo(accessor.invoke(few));
            }
        }
    }

    @Test
    void the_limits_of_a_node_carry_those_of_its_subscriptions() {
        NodeLimits limits = NodeLimits.builder()
                .subscriptions(s -> s.concurrency(4))
                .subscriptions(s -> s.parkedMax(3))
                .build();
        assertThat(limits.subscriptions().concurrency()).isEqualTo(4);
        assertThat(limits.subscriptions().parkedMax()).isEqualTo(3);
    }

    @Test
    void a_batch_that_no_node_could_hold_is_refused_with_the_name_and_the_value() {
        NodeLimits.Builder builder = NodeLimits.builder().inFlightEvents(10).subscriptions(s -> s.batchEvents(11));
        assertThatIllegalArgumentException()
                .isThrownBy(builder::build)
                .withMessage("inFlightEvents is at least 11, got 10");
    }

    @Test
    void a_lane_that_reads_again_between_two_looks_is_refused() {
        NodeLimits.Builder builder = NodeLimits.builder()
                .pollMin(Duration.ofMillis(20))
                .subscriptions(s -> s.rereadEvery(Duration.ofMillis(5)));
        assertThatIllegalArgumentException()
                .isThrownBy(builder::build)
                .withMessage("rereadEvery is at least PT0.02S, got PT0.005S");
    }

    @Test
    void limits_out_of_bounds_are_refused_where_they_are_built() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SubscriptionLimits.builder().concurrency(0).build())
                .withMessage("concurrency is at least 1, got 0");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> NodeLimits.builder().lease(Duration.ofMillis(99)).build())
                .withMessage("lease is at least PT0.1S, got PT0.099S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NodeLimits.builder()
                        .payloadBytes(NodeLimits.PAYLOAD_BYTES_MAX + 1)
                        .build())
                .withMessageContaining("payloadBytes is at most 1048576");
    }

    private static List<String> names(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .map(Method::getName)
                .filter(name -> !List.of("build", "builder", "change").contains(name))
                .toList();
    }

    private static Stream<Method> accessors(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> names(type).contains(method.getName()));
    }
}
