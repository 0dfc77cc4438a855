package io.postrider.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.Observers;
import io.postrider.engine.base.SystemEnvironment;
import io.postrider.engine.dispatch.FailureLog;
import io.postrider.engine.dispatch.Routes;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.operate.Delivery;
import io.postrider.policy.AfterDead;
import io.postrider.policy.Retention;
import io.postrider.policy.RetryPolicy;
import io.postrider.policy.Start;
import io.postrider.policy.SubscriptionLimits;
import io.postrider.store.Claim;
import io.postrider.store.RefusedException;
import io.postrider.store.StoreException;
import io.postrider.store.Tasks;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TaskSettlementsTest {
    private final SystemEnvironment environment = new SystemEnvironment();
    private final List<List<Long>> asked = new ArrayList<>();
    private final List<Long> over = new ArrayList<>();
    private final List<Delivery> left = new ArrayList<>();
    private Function<List<Long>, RuntimeException> failure = positions -> null;

    @AfterEach
    void close() {
        environment.close();
    }

    @Test
    void what_has_settled_before_the_store_failed_is_over_and_only_the_rest_is_settled_again() {
        TaskSettlements ended = ended(1, 2);
        failure = positions -> positions.size() > 1
                ? new RefusedException("refused")
                : positions.contains(2L) ? new StoreException("gone") : null;
        assertThatThrownBy(() -> ended.settle(held -> over.add(held.position().value())))
                .isInstanceOf(StoreException.class);
        assertThat(over).containsExactly(1L);
        asked.clear();
        failure = positions -> null;
        ended.settle(held -> over.add(held.position().value()));
        assertThat(asked).containsExactly(List.of(2L));
        assertThat(over).containsExactly(1L, 2L);
        assertThat(ended.isEmpty()).isTrue();
    }

    @Test
    void a_task_that_is_refused_in_any_words_is_left_to_its_lease_and_the_others_settle() {
        TaskSettlements ended = ended(1, 2, 3);
        failure = positions -> positions.contains(2L) ? new RefusedException("refused") : null;
        ended.settle(held -> over.add(held.position().value()));
        assertThat(over).containsExactlyInAnyOrder(1L, 2L, 3L);
        assertThat(ended.isEmpty()).isTrue();
    }

    @Test
    void a_suspect_whose_handler_was_not_called_is_a_suspect_still() {
        TaskSettlements ended = ended();
        StoredEvent event = event(1);
        Claim.ClaimedDelivery suspect = new Claim.ClaimedDelivery(
                Delivery.task(event, Instant.EPOCH).suspected().running(2), event);
        ended.putBack(suspect);
        assertThat(settled(ended).suspect()).isTrue();
        for (Outcome notCalled : List.of(Outcome.postponed(null, "no thread"), Outcome.down("away"))) {
            ended.add(suspect, notCalled);
            assertThat(settled(ended).suspect()).as("%s", notCalled).isTrue();
        }
        ended.add(suspect, Outcome.retry("its process outlived it"));
        assertThat(settled(ended).suspect()).isFalse();
    }

    /** What is left of the only one that is settled. */
    private Delivery settled(TaskSettlements ended) {
        left.clear();
        ended.settle(held -> {});
        assertThat(left).hasSize(1);
        return left.get(0);
    }

    private TaskSettlements ended(int... positions) {
        SubscriptionSpec spec = new SubscriptionSpec(
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
        TaskSettlements ended = new TaskSettlements(
                tasks(), environment, spec, new Observers(List.of()), new FailureLog(spec, environment, true));
        for (int position : positions) {
            StoredEvent event = event(position);
            Delivery row = Delivery.task(event, Instant.EPOCH).running(1);
            ended.add(new Claim.ClaimedDelivery(row, event), Outcome.retry("again"));
        }
        return ended;
    }

    /** A store that notes what it is to settle, and settles it unless the test has it fail. */
    private Tasks tasks() {
        return (Tasks) Proxy.newProxyInstance(
                Tasks.class.getClassLoader(), new Class<?>[] {Tasks.class}, (proxy, method, arguments) -> {
                    @SuppressWarnings("unchecked")
                    List<Tasks.Ended> some = (List<Tasks.Ended>) arguments[1];
                    List<Long> positions = some.stream()
                            .map(one -> one.task().position().value())
                            .toList();
                    asked.add(positions);
                    some.stream()
                            .map(Tasks.Ended::left)
                            .filter(Objects::nonNull)
                            .forEach(left::add);
                    RuntimeException thrown = failure.apply(positions);
                    if (thrown != null) {
                        throw thrown;
                    }
                    Set<Tasks.HeldTask> settled =
                            some.stream().map(Tasks.Ended::task).collect(Collectors.toSet());
                    return settled;
                });
    }

    private static StoredEvent event(int position) {
        EventId id = new EventId(new UUID(0, position));
        return new StoredEvent(
                new Position(position), new Lane(0), id, "type", "k", "{}", Headers.NONE, null, Instant.EPOCH);
    }
}
