package io.postrider.operate;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.policy.Schedule;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a person decides: about events that were buried or have expired, about subscriptions and about nodes. Each
 * decision and its entry in the {@link Audit} are one write. The ledger shows it at once; nodes learn of it with their
 * next renewal.
 *
 * <p>A subscription that does not exist is an answer here, {@link Answer#NO_SUBSCRIPTION}, and an
 * {@link IllegalArgumentException} of {@link Operations}, {@link Search} and {@link Browse}.
 */
public interface Operate {

    /**
     * Puts a dead or expired event back: it is retried from its first attempt, in its place before later ones of its
     * key, and does not expire any more. A skipped event, which the filter takes by now, is dispatched the same way. A
     * delivered one is left alone, so that a decision made twice has one effect: {@link Answer#DELIVERED}.
     */
    Answer replay(String subscription, Position position, By by);

    /** The same for the newest event with this id. */
    Answer replay(String subscription, EventId event, By by);

    /**
     * Dispatches a delivered event once more, on purpose: the record that it was processed is removed with the same
     * write, so that a handler in a transaction is called again.
     *
     * @return {@link Answer#NOT_DELIVERED} for an event that {@link #replay} takes: dead, expired or skipped
     */
    Answer replayDelivered(String subscription, Position position, By by);

    /** The same for the newest event with this id. */
    Answer replayDelivered(String subscription, EventId event, By by);

    /** Lets a dead or expired event go: it no longer blocks its key, and is counted as discarded. */
    Answer discard(String subscription, Position position, By by);

    /**
     * Appends a changed copy of a dead or expired event, under a new id, and discards the event. The copy goes through
     * the log like any other, behind the later events of its key.
     *
     * @throws IllegalArgumentException if the log refuses the copy, or if the copy's id is taken: by an event of the
     *     log, a delivery row, an edit that the audit has, or a record that this subscription has processed it. Two
     *     events of one id would count as one where effects are recorded by id, and the second would never run. Of two
     *     edits at once under one id, one is refused; an append under that id which has not committed yet is not
     *     noticed, and no append is refused for its id
     */
    Answer edit(String subscription, Position position, Edit edit, By by);

    /** Lets the events of a key go on although a dead one of theirs, which stays dead, had them blocked. */
    Answer releaseKey(String subscription, String key, By by);

    /** Discards every dead or expired event of a key. */
    Answer skipKey(String subscription, String key, By by);

    /**
     * Removes a subscription with its cursors, its delivery rows and the records of what it has processed, so that one
     * of the same name begins afresh. The entry in the {@link Audit}, with how many were dropped, is written with it.
     */
    Removed remove(String subscription, By by, Removal removal);

    /** Nothing of this subscription is dispatched until it is resumed; what runs goes on to its end. */
    Answer pause(String subscription, By by);

    Answer resume(String subscription, By by);

    /** Asks a node to hand back its lanes and to take none. */
    Answer drain(String node, By by);

    Answer undrain(String node, By by);

    /** The subscriptions that are paused. */
    Set<String> paused();

    /** The nodes that the store knows, by their ids; one whose lease has run out is known until it is forgotten. */
    List<Member> nodes();

    /** A node. */
    record Member(String id, boolean alive, Set<String> subscriptions, boolean draining) {
        public Member {
            subscriptions = Set.copyOf(subscriptions);
        }
    }

    /** What came of a decision; nothing has changed unless it is {@link #DONE}. */
    enum Answer {
        DONE,
        NO_SUBSCRIPTION,
        /** There is no such event, or no more; and where only a delivery row can be decided about: there is no row. */
        NO_EVENT,
        /** The event waits or runs: it is neither dead nor expired. */
        NOT_DEAD,
        /** Its lane has not come to it yet: it is dispatched without being asked for. */
        PENDING,
        /** It was delivered; {@link Operate#replayDelivered} dispatches it again. */
        DELIVERED,
        /** It is dead, expired or skipped; {@link Operate#replay} puts it back. */
        NOT_DELIVERED,
        /** It was discarded, by an operator or by a retention. */
        DISCARDED,
        /** The subscription's filter, as it is now, does not take it: it would only be skipped again. */
        NOT_TAKEN,
        /** It was appended before the subscription began. */
        BEFORE_START,
        NO_NODE,
        NO_OPERATION,
        /** It is so already, or there was nothing it would have changed. */
        NOTHING;

        public boolean done() {
            return this == DONE;
        }
    }

    /**
     * What is other in the copy of an event. Its headers name the event it replaces ({@link Headers#REPLAY_OF}), and
     * keep its correlation and its cause.
     *
     * @param id the new event's: one that no other event has
     * @param payload JSON text
     * @param headers instead of those it has
     * @param schedule instead of the one it has; unless it is given, the copy does not expire
     * @param forAll whether other subscriptions take it too; if not, they skip it ({@link Headers#ONLY_FOR})
     */
    record Edit(
            EventId id,
            @Nullable String type,
            @Nullable String payload,
            @Nullable Headers headers,
            @Nullable Schedule schedule,
            boolean forAll) {
        /** The name of the new id among the details that the audit keeps. */
        public static final String NEW_ID = "newId";

        public Edit {
            if (id == null) {
                throw new IllegalArgumentException(
                        "the copy of an edited event has an id of its own, got null: new EventId(UUID.randomUUID())");
            }
            if (type != null) {
                Event.requireTexts(type, null, null, Headers.NONE);
            }
        }

        /** A copy without a change, for this subscription only, under an id that no event has had. */
        public static Edit of(EventId id) {
            return new Edit(id, null, null, null, null, false);
        }

        public Edit type(String value) {
            return new Edit(id, value, payload, headers, schedule, forAll);
        }

        public Edit payload(String json) {
            return new Edit(id, type, json, headers, schedule, forAll);
        }

        public Edit headers(Headers value) {
            return new Edit(id, type, payload, value, schedule, forAll);
        }

        public Edit schedule(Schedule value) {
            return new Edit(id, type, payload, headers, value, forAll);
        }

        public Edit toAll() {
            return new Edit(id, type, payload, headers, schedule, true);
        }

        /** What the audit keeps of it: which fields, and the new id; never what is in them. */
        public Map<String, String> details() {
            TreeMap<String, String> details = new TreeMap<>(Map.of(NEW_ID, id.toString()));
            noteIf(type != null, "type", details);
            noteIf(payload != null, "payload", details);
            noteIf(headers != null, "headers", details);
            noteIf(schedule != null, "schedule", details);
            noteIf(forAll, "forAll", details);
            return details;
        }

        private static void noteIf(boolean given, String field, Map<String, String> details) {
            if (given) {
                details.put(field, "changed");
            }
        }

        /** The error of a store that knows the id already. */
        public IllegalArgumentException taken() {
            return new IllegalArgumentException("the id " + id
                    + " of an edited copy is taken: an event has it, or had it when it was processed. Give the copy an"
                    + " id that no event has; new EventId(UUID.randomUUID()) is one");
        }

        /** The headers of the copy, which say what it is a copy of. */
        public Headers headersOf(StoredEvent original, String subscription) {
            Headers before = original.headers();
            Headers kept = headers == null
                    ? before
                    : keep(Headers.CAUSATION_ID, before, keep(Headers.CORRELATION_ID, before, headers));
            Headers lined = kept.with(Headers.REPLAY_OF, original.id().toString());
            return forAll ? lined.without(Headers.ONLY_FOR) : lined.with(Headers.ONLY_FOR, subscription);
        }

        private static Headers keep(String name, Headers before, Headers after) {
            return before.get(name).map(value -> after.with(name, value)).orElse(after);
        }
    }
}
