package io.postrider.policy;

import io.postrider.Position;
import java.time.Instant;

/** Where a new subscription begins; an existing subscription goes on from its cursors. */
public sealed interface Start {

    /** Begins with the oldest event that the log still has. */
    static Start beginning() {
        return new Beginning();
    }

    /** Begins with events that are not yet committed now. */
    static Start end() {
        return new End();
    }

    /** Begins with the first event after this position. */
    static Start after(Position position) {
        return new After(position);
    }

    /** Begins with the first event appended at or after this time. */
    static Start at(Instant time) {
        return new At(time);
    }

    record Beginning() implements Start {}

    record End() implements Start {}

    record After(Position position) implements Start {}

    record At(Instant time) implements Start {}
}
