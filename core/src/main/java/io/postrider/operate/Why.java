package io.postrider.operate;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where an event stands in a subscription, as data: if it is not delivered, this is why. Closed. */
public sealed interface Why {

    /**
     * It was settled.
     *
     * @param at when, or null if the settlements of that time have been pruned
     */
    record Delivered(@Nullable Instant at) implements Why {}

    /** The subscription's filter does not take its type: it is skipped when its lane comes to it. */
    record NotMatched(String filter) implements Why {}

    /**
     * It was skipped: the filter of then did not take its type, whatever the filter is now.
     *
     * @param filter the fingerprint of the filter under which its lane passed it
     * @param at when, or null if the settlements of that time have been pruned
     */
    record Skipped(String filter, @Nullable Instant at) implements Why {}

    /** Its destination has answered that it is none of its: {@link io.postrider.destination.Outcome.Skipped}. */
    record Declined(@Nullable Instant at) implements Why {}

    /** It is for another subscription alone ({@link io.postrider.Headers#ONLY_FOR}), and skipped here. */
    record OnlyFor(String subscription) implements Why {}

    /** It was appended before the subscription began. */
    record BeforeStart() implements Why {}

    /** It is parked and was not tried yet: it is wanted later, or its turn has not come. */
    record Waiting(Instant dueAt) implements Why {}

    /** It failed, and is tried again when it is due. */
    record Retrying(int attempt, Instant dueAt, @Nullable String error) implements Why {}

    /**
     * A handler has it.
     *
     * @param since when it was claimed, where the store keeps that
     * @param node who has it, where the store keeps that
     */
    record Running(
            int attempt, @Nullable Instant since, @Nullable String node) implements Why {}

    /** An earlier event of its key comes first. Where keys are not ordered, that one only waits too. */
    record BlockedBy(Position position, EventId id, Delivery.Status status) implements Why {}

    /** No attempt is left, or none can help: an operator decides. */
    record Dead(int attempt, @Nullable String error) implements Why {}

    /** Its time passed before a dispatch began: an operator decides. */
    record Expired(@Nullable String error) implements Why {}

    /** An operator let it go. */
    record Discarded(Instant at) implements Why {}

    /**
     * Its lane has not come to it yet.
     *
     * @param ahead about how many events of the lane come first
     * @param owner the node that has the lane, or null: then nobody works on it
     * @param leaseUntil until when the owner's lease lasts; in the past if it fell silent
     */
    record Behind(
            Lane lane,
            long ahead,
            @Nullable String owner,
            @Nullable Instant leaseUntil) implements Why {}

    /** Its transaction committed after its lane had passed its position; the lane's next read fetches it. */
    record NotYetRead(
            Lane lane, @Nullable String owner, @Nullable Instant leaseUntil) implements Why {}

    /** An operator has paused the subscription, and it is not delivered yet. */
    record Paused() implements Why {}

    /**
     * The destination that it waits for is down, as one node knows; nothing is tried until it answers.
     *
     * @param destination the subscription and what kind of destination it is
     * @param since when that was found
     * @param reason what the destination said last about it
     * @param otherwise where the event stands as the store knows it
     */
    record DestinationDown(String destination, Instant since, String reason, Why otherwise) implements Why {}

    /** There is no such event or no such subscription, or there is no more. */
    record Unknown(String what) implements Why {
        /** The same of an event that may be in a transaction which is still open. */
        public Unknown orIn(Browse.OpenAppend open) {
            return new Unknown(what + "; it may be in a transaction that is still open, of which the oldest is "
                    + open.transaction() + " (" + open.holder() + ")"
                    + (open.since() == null ? "" : " since " + open.since()));
        }
    }

    /** Whether it would be dispatched sooner or later without anyone's doing. */
    default boolean waits() {
        return this instanceof Waiting
                || this instanceof Retrying
                || this instanceof BlockedBy
                || this instanceof Behind
                || this instanceof NotYetRead;
    }

    /** The subscription that an event is for, if that is another one than this. */
    static Optional<String> onlyFor(StoredEvent event, String subscription) {
        return event.headers().get(Headers.ONLY_FOR).filter(only -> !only.equals(subscription));
    }

    /** The same, unless it would be dispatched sooner or later and its subscription is paused. */
    default Why whereItIs(boolean paused) {
        return paused && waits() ? new Paused() : this;
    }

    /** What a delivery row says, and the row of its key that comes first, if there is one. */
    static Why of(Delivery row, @Nullable Delivery first, @Nullable Instant since, @Nullable String node) {
        return switch (row.status()) {
            case READY -> new Waiting(row.dueAt());
            case RUNNING -> new Running(row.attempt(), since, node);
            case DEAD -> new Dead(row.attempt(), row.error());
            case EXPIRED -> new Expired(row.error());
            case WAITING -> first != null ? new BlockedBy(first.position(), first.id(), first.status()) : waiting(row);
        };
    }

    private static Why waiting(Delivery row) {
        return row.wasTried() ? new Retrying(row.attempt(), row.dueAt(), row.error()) : new Waiting(row.dueAt());
    }
}
