package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventFilter;
import io.postrider.Position;
import io.postrider.StoredEvent;
import java.util.Comparator;
import org.junit.jupiter.api.Test;

/** Horizon: up to where a log is decided. */
public abstract class HorizonSuite<T> extends StoreCase<T> {

    private Position newest() {
        return store.search().events(EventFilter.ALL, null, 100).events().stream()
                .map(StoredEvent::position)
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    @Test
    void what_is_committed_while_nobody_appends_is_stable_at_once() {
        assertThat(store.horizon().stable()).isEqualTo(Position.ZERO);
        committed("ann", "a", "b");
        assertThat(store.horizon().stable()).isEqualTo(newest());
        committed("bob", "c");
        assertThat(store.horizon().stable()).isEqualTo(newest());
    }

    @Test
    void an_append_that_is_open_holds_it_back_until_it_is_committed() {
        committed("ann", "a");
        Position before = newest();
        assertThat(store.horizon().stable()).isEqualTo(before);
        T open = fixture.begin();
        append(open, "bob", "open");
        committed("ann", "b");
        assertThat(store.horizon().stable()).isEqualTo(before);
        assertThat(store.horizon().stable()).isEqualTo(before);
        fixture.commit(open);
        assertThat(store.horizon().stable()).isEqualTo(newest());
    }

    @Test
    void an_append_that_is_open_holds_it_back_until_it_is_rolled_back() {
        T open = fixture.begin();
        append(open, "bob", "open");
        committed("ann", "a");
        assertThat(store.horizon().stable()).isEqualTo(Position.ZERO);
        fixture.rollback(open);
        assertThat(store.horizon().stable()).isEqualTo(newest());
    }

    @Test
    void an_append_that_began_behind_a_look_does_not_hold_back_what_that_look_saw() {
        T first = fixture.begin();
        append(first, "bob", "first");
        assertThat(store.horizon().stable()).isEqualTo(Position.ZERO);
        T second = fixture.begin();
        append(second, "ann", "second");
        fixture.commit(first);
        assertThat(store.horizon().stable()).isEqualTo(newest());
        Position seen = newest();
        fixture.commit(second);
        assertThat(store.horizon().stable()).isEqualTo(newest()).isGreaterThan(seen);
    }

    @Test
    void a_transaction_that_appends_nothing_does_not_hold_it_back() throws Exception {
        T open = fixture.begin();
        fixture.effect(open, "elsewhere");
        committed("ann", "a");
        assertThat(store.horizon().stable()).isEqualTo(newest());
        fixture.rollback(open);
    }
}
