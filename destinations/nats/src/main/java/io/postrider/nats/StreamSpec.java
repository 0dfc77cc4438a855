package io.postrider.nats;

import java.time.Duration;
import java.util.List;

/**
 * A stream as it has to be. Each method with an argument returns a changed copy.
 *
 * @param subjects the subjects it takes, with wildcards
 * @param replicas on how many servers each message is
 * @param duplicateWindow for how long it knows the ids of messages, so that one that comes again is stored once
 * @param maxAge after which time messages are removed, or zero if never
 */
public record StreamSpec(
        String name, List<String> subjects, int replicas, Storage storage, Duration duplicateWindow, Duration maxAge) {

    /** The most replicas that a server allows. */
    public static final int REPLICAS_MAX = 5;

    /** As long as an event may be dispatched again by default; the server's own default is two minutes. */
    public static final Duration DUPLICATE_WINDOW = JetStreamConfig.RETRY_HORIZON;

    /** Where a stream has its messages. */
    public enum Storage {
        FILE,
        /** All messages are gone when the server restarts. */
        MEMORY
    }

    public StreamSpec {
        requireStreamName(name);
        subjects = List.copyOf(subjects);
        if (subjects.isEmpty()) {
            throw new IllegalArgumentException("stream '" + name + "' needs at least one subject");
        }
        subjects.forEach(subject -> requireSubject(name, subject));
        if (replicas < 1 || replicas > REPLICAS_MAX) {
            throw new IllegalArgumentException(
                    "stream '" + name + "' has 1 to " + REPLICAS_MAX + " replicas, got " + replicas);
        }
        if (duplicateWindow.isNegative() || maxAge.isNegative()) {
            throw new IllegalArgumentException("stream '" + name + "' has no negative times, got duplicateWindow "
                    + duplicateWindow + " and maxAge " + maxAge);
        }
    }

    /** A stream in files on one server, whose messages stay. */
    public static StreamSpec of(String name, String... subjects) {
        return new StreamSpec(name, List.of(subjects), 1, Storage.FILE, DUPLICATE_WINDOW, Duration.ZERO);
    }

    public StreamSpec replicas(int replicas) {
        return new StreamSpec(name, subjects, replicas, storage, duplicateWindow, maxAge);
    }

    public StreamSpec storage(Storage storage) {
        return new StreamSpec(name, subjects, replicas, storage, duplicateWindow, maxAge);
    }

    public StreamSpec duplicateWindow(Duration duplicateWindow) {
        return new StreamSpec(name, subjects, replicas, storage, duplicateWindow, maxAge);
    }

    /** No id is known for longer than its message is kept: the server refuses a longer duplicate window. */
    public StreamSpec maxAge(Duration maxAge) {
        Duration window = !maxAge.isZero() && duplicateWindow.compareTo(maxAge) > 0 ? maxAge : duplicateWindow;
        return new StreamSpec(name, subjects, replicas, storage, window, maxAge);
    }

    static void requireStreamName(String name) {
        boolean legal = !name.isEmpty() && name.chars().allMatch(c -> c > ' ' && c < 0x7F && ".*>/\\".indexOf(c) < 0);
        if (!legal) {
            throw new IllegalArgumentException(
                    "a stream's name is printable ASCII without spaces, '.', '*', '>', '/' and '\\', got '" + name
                            + "'");
        }
    }

    private static void requireSubject(String stream, String subject) {
        String reason = Subjects.illegalPattern(subject);
        if (reason != null) {
            throw new IllegalArgumentException(
                    "stream '" + stream + "' cannot take the subject '" + subject + "': " + reason);
        }
    }
}
