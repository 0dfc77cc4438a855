package io.postrider.store;

import io.postrider.Event;
import io.postrider.StoredEvent;
import io.postrider.operate.Why;
import io.postrider.text.TypePattern;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A subscription's filter as it is stored: its type patterns, sorted, with a space between them. Patterns may have
 * spaces themselves, so that a type with a space is compared with every run of words; then the answer may be yes where
 * the engine says no, and never the other way round.
 *
 * <p>Marks at the end say how its events are worked off, where that decides who may take part: nodes whose filters
 * differ do not share a subscription.
 */
public record FilterText(String text) {
    /** Mark of a queue: its rows are tasks, which no owner of a lane dispatches. */
    public static final String QUEUE = "#queue";

    /** Mark of a subscription whose dead events block their keys: retention leaves them alone. */
    public static final String STAYS_BLOCKED = "#stays-blocked";

    /** Mark of a subscription that settles with its effects: most of them leave no record for another kind of owner. */
    public static final String WITH_EFFECT = "#with-effect";

    private static final Set<String> MARKS = Set.of(QUEUE, STAYS_BLOCKED, WITH_EFFECT);

    public boolean isQueue() {
        return words(text).contains(QUEUE);
    }

    public boolean staysBlocked() {
        return words(text).contains(STAYS_BLOCKED);
    }

    public boolean settlesWithEffect() {
        return words(text).contains(WITH_EFFECT);
    }

    /** The type patterns alone. */
    public String patterns() {
        return words(text).stream().filter(word -> !MARKS.contains(word)).collect(Collectors.joining(" "));
    }

    private static List<String> words(String text) {
        return Arrays.asList(text.split(" "));
    }

    /** Whether the engine would dispatch an event of this type. A filter that says nothing leaves nothing out. */
    public boolean takes(String type) {
        String patterns = patterns();
        if (patterns.isBlank()) {
            return true;
        }
        String[] words = patterns.split(" ");
        int longest = type.indexOf(' ') < 0 ? 1 : words.length;
        for (int from = 0; from < words.length; from++) {
            for (int to = from + 1; to <= Math.min(words.length, from + longest); to++) {
                if (matches(String.join(" ", Arrays.copyOfRange(words, from, to)), type)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * The answer about an event that was settled under this filter, and of which no row is left.
     *
     * @param taken whether the event was dispatched, and its destination took it
     * @param at when it was settled, or null if the settlements of that time have been pruned
     */
    public Why settled(StoredEvent event, boolean taken, @Nullable Instant at) {
        if (taken) {
            return new Why.Delivered(at);
        }
        return takes(event.type()) ? new Why.Declined(at) : new Why.Skipped(text, at);
    }

    private static boolean matches(String pattern, String type) {
        return !pattern.isBlank()
                && pattern.length() <= Event.NAME_MAX
                && TypePattern.compile(pattern).matcher(type).matches();
    }
}
