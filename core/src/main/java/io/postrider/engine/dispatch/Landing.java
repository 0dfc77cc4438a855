package io.postrider.engine.dispatch;

import io.postrider.store.Settlement;
import io.postrider.store.StoreException;

/** The end of a flight. */
public sealed interface Landing {
    Landing TO_SETTLE = new ToSettle();
    Landing LOST = new Lost();

    void match(Cases cases);

    /** One method for each landing, so that a further one does not compile until every lane has an answer to it. */
    interface Cases {
        void toSettle();

        void settled(Settlement settlement, Verdicts verdicts);

        void lost();

        void storeFailed(StoreException failure);
    }

    /** The batch says what is to be settled. */
    record ToSettle() implements Landing {
        @Override
        public void match(Cases cases) {
            cases.toSettle();
        }
    }

    /** The settlement was committed with the effects. */
    record Settled(Settlement settlement, Verdicts verdicts) implements Landing {
        @Override
        public void match(Cases cases) {
            cases.settled(settlement, verdicts);
        }
    }

    /** Nothing was committed, because another node has the lane by now. */
    record Lost() implements Landing {
        @Override
        public void match(Cases cases) {
            cases.lost();
        }
    }

    /** The store failed at the commit: nobody knows what was committed. */
    record StoreFailed(StoreException failure) implements Landing {
        @Override
        public void match(Cases cases) {
            cases.storeFailed(failure);
        }
    }
}
