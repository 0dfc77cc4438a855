package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Postrider;
import io.postrider.policy.NodeLimits;
import io.postrider.store.Claim;
import io.postrider.store.Page;
import io.postrider.store.Watch;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A look wakes the lanes that have something to read, and no others. */
public abstract class WakeSuite<T> extends EngineCase<T> {
    private static final int EVENTS = 50;
    /** Of what a node has committed itself; a look that comes between commit and wake costs one. */
    private static final double EMPTY_READS_PER_EVENT = 0.2;

    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger emptyReads = new AtomicInteger();

    @Test
    void a_lane_that_has_read_a_commit_of_its_own_node_is_not_woken_for_it_again() {
        Postrider<T> node = Postrider.on(calling(this::counted), config(unasked()));
        closeAtEnd(node);
        Letters letters = new Letters();
        letters(node, letters).start();
        send(node, "ann", "first");
        assertDelivered(letters, "first");
        awaitLooks();
        emptyReads.set(0);
        for (int i = 0; i < EVENTS; i++) {
            send(node, "ann", "a" + i);
            assertDelivered(letters, "a" + i);
            awaitLooks();
        }
        assertThat(emptyReads.get()).isLessThanOrEqualTo((int) (EMPTY_READS_PER_EVENT * EVENTS));
    }

    @Test
    void commits_of_others_wake_a_lane_whose_last_read_did_not_see_them() {
        Postrider<T> node = Postrider.on(calling(this::counted), config(unasked()));
        closeAtEnd(node);
        Letters letters = new Letters();
        letters(node, letters).start();
        send(node, "ann", "first");
        assertDelivered(letters, "first");
        T slow = fixture.begin();
        append(slow, "ann", "slow");
        committed("ann", "quick");
        assertDelivered(letters, "quick");
        awaitLooks();
        fixture.commit(slow);
        assertDelivered(letters, "slow");
        committed("ann", numbered("many", 100));
        assertDelivered(letters, numbered("many", 100));
        assertAllDelivered(103);
    }

    /** No lane reads but when it is woken. */
    private static NodeLimits.Builder unasked() {
        return quick().subscriptions(each -> each.rereadEvery(Duration.ofHours(1)));
    }

    private Object counted(Method method, StorePorts.Call call) throws Throwable {
        Object answer = call.now();
        if (StorePorts.is(method, Watch.class, "watch")) {
            looks.incrementAndGet();
        } else if (StorePorts.is(method, Claim.class, "read")
                && ((Page) answer).events().isEmpty()) {
            emptyReads.incrementAndGet();
        }
        return answer;
    }

    /** The second of these began after now, and by the third the lanes of the second have read. */
    private void awaitLooks() {
        int before = looks.get();
        eventually().holds(() -> assertThat(looks.get()).isGreaterThan(before + 2));
    }
}
