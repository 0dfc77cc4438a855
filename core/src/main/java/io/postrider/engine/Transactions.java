package io.postrider.engine;

import io.postrider.spi.Processed;
import io.postrider.spi.SettleWithin;
import io.postrider.spi.Transact;

/**
 * Transactions of a node's store, for handlers whose effects are in the same database.
 *
 * @param transact opens one, and wakes lanes for what was appended in it once it has committed
 * @param <T> the store's transaction handle
 */
public record Transactions<T>(
        Transact<T> transact, Processed<T> processed, SettleWithin<T> settleWithin, Observers observers) {}
