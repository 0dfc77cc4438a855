package io.postrider.policy;

import io.postrider.Position;
import java.time.Instant;

/** Where a new subscription begins. It counts once: an existing subscription goes on from its cursors. */
public sealed interface Start {

    /** With the oldest event the log still has. */
    static Start beginning() {
        return new Beginning();
    }

    /** With what is not yet committed now. */
    static Start end() {
        return new End();
    }

    /** With the first event after this position. */
    static Start after(Position position) {
        return new After(position);
    }

    /** With the first event appended at or after this time. */
    static Start at(Instant time) {
        return new At(time);
    }

    record Beginning() implements Start {}

    record End() implements Start {}

    record After(Position position) implements Start {}

    record At(Instant time) implements Start {}
}
