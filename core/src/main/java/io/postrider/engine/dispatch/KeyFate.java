package io.postrider.engine.dispatch;

import io.postrider.destination.Outcome;
import io.postrider.policy.AfterDead;

/** The fate of a key in its batch, once an event of the key has an outcome. */
enum KeyFate {
    GOES_ON,
    IS_BLOCKED,
    /** The event has not reached its destination: the batch ends. */
    PUT_BACK;

    record Cases(AfterDead afterDead) implements Outcome.Cases<KeyFate> {
        @Override
        public KeyFate delivered(Outcome.Delivered outcome) {
            return GOES_ON;
        }

        @Override
        public KeyFate retry(Outcome.Retry outcome) {
            return IS_BLOCKED;
        }

        @Override
        public KeyFate dead(Outcome.Dead outcome) {
            return afterDead == AfterDead.STAY_BLOCKED ? IS_BLOCKED : GOES_ON;
        }

        @Override
        public KeyFate expired(Outcome.Expired outcome) {
            return GOES_ON;
        }

        @Override
        public KeyFate skipped(Outcome.Skipped outcome) {
            return GOES_ON;
        }

        @Override
        public KeyFate down(Outcome.Down outcome) {
            return PUT_BACK;
        }
    }
}
