package io.postrider;

import io.postrider.destination.Destination;
import io.postrider.engine.base.Abilities;
import io.postrider.engine.dispatch.TransactionalBatchDestination;
import io.postrider.engine.dispatch.TransactionalDestination;
import io.postrider.engine.dispatch.WithinTransaction;
import io.postrider.text.TypePattern;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The form of effects of a subscription, and what it requires: a settlement that commits with them, or a record beside
 * each.
 */
record EffectForm(String name, Abilities abilities, Map<TypePattern, Destination> destinations) {

    // ---- settles with its effect ------------------------------------------------------------------------------------

    void requireSettles(boolean isQueue, boolean foreignTransactions) {
        requireNoQueue(isQueue);
        requireOwnTransactions(foreignTransactions);
        requireTransactions("settles with its effect (settleWithEffect)");
        abilities.requireSavepoints(
                "subscription '" + name + "' settles with its effect (settleWithEffect), many events in a transaction",
                "leave settleWithEffect out; onTransaction alone has each effect once, by a record");
        destinations.forEach(this::requireTransactional);
    }

    private void requireNoQueue(boolean isQueue) {
        if (isQueue) {
            throw new IllegalStateException(
                    "subscription '" + name + "' is a queue, whose tasks settle one by one, so it cannot settle with"
                            + " its effect; onTransaction alone has each effect once, by a record");
        }
    }

    /** A framework flushes and commits behind the settlement, which cannot travel with its commit. */
    private void requireOwnTransactions(boolean foreign) {
        if (foreign) {
            throw new IllegalStateException("subscription '" + name + "' cannot settle with its effect: the Transact"
                    + " that this node was given commits its transactions, and a settlement has to commit together"
                    + " with the effects; onTransaction alone has each effect once, by a record");
        }
    }

    private void requireTransactional(TypePattern pattern, Destination destination) {
        if (!(destination instanceof WithinTransaction)) {
            throw new IllegalStateException(
                    "subscription '" + name + "' settles with its effect, so every handler is one"
                            + " onTransaction or onTransactionBatch; that of '" + pattern.text() + "' is not");
        }
    }

    // ---- records each effect ----------------------------------------------------------------------------------------

    /** @param longest for how long each retry policy may try an event again */
    void requireRecords(Stream<Duration> longest, Duration kept) {
        destinations.forEach(this::requireNoBatchInTransaction);
        if (destinations.values().stream().anyMatch(TransactionalDestination.class::isInstance)) {
            requireTransactions("handles events in transactions (onTransaction)");
            longest.forEach(each -> requireRemembered(each, kept));
        }
    }

    private void requireNoBatchInTransaction(TypePattern pattern, Destination destination) {
        if (destination instanceof TransactionalBatchDestination) {
            throw new IllegalStateException("subscription '" + name + "' handles '" + pattern.text()
                    + "' by onTransactionBatch, whose events settle in the same transaction: add settleWithEffect()");
        }
    }

    /** A record that is forgotten while its event can be retried would let the effect happen twice. */
    private void requireRemembered(Duration longest, Duration kept) {
        if (kept.compareTo(longest) <= 0) {
            throw new IllegalArgumentException("subscription '" + name + "' may retry an event for " + longest
                    + ", but processedFor, how long its effect is remembered, is " + kept);
        }
    }

    private void requireTransactions(String what) {
        abilities.requireTransactions(
                "subscription '" + name + "' " + what,
                "handle its events with on; context.id() tells a handler which events it has handled before");
    }
}
