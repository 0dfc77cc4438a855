package io.postrider;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * One of the hash slots of a log: per subscription the unit of ownership, with a cursor and an epoch. How many lanes a
 * log has is chosen when the log is created; every language computes the same lane.
 */
public record Lane(int number) implements Comparable<Lane> {

    /** The fewest lanes that a log has. */
    public static final int COUNT_MIN = 4;

    /** The most lanes that a log has. */
    public static final int COUNT_MAX = 256;

    /** How many lanes a log has unless another number was chosen when it was created. */
    public static final int COUNT_DEFAULT = 16;

    private static final MessageDigest UNUSED_MD5 = newMd5();

    public Lane {
        if (number < 0 || number >= COUNT_MAX) {
            throw new IllegalArgumentException("a lane is 0 to " + (COUNT_MAX - 1) + ", got " + number);
        }
    }

    /** A number of lanes that a log may have, or an error. */
    public static int requireCount(int lanes) {
        if (lanes < COUNT_MIN || lanes > COUNT_MAX) {
            throw new IllegalArgumentException("a log has " + COUNT_MIN + " to " + COUNT_MAX + " lanes, got " + lanes);
        }
        return lanes;
    }

    /**
     * The lane of a key, or of the id where there is no key, in a log of so many lanes: its hash modulo that number.
     * The function {@code lane_of} computes the same in SQL.
     */
    public static Lane of(@Nullable String key, EventId id, int lanes) {
        return of(hash(key, id), lanes);
    }

    /** The lane of what has this hash, in a log of so many lanes. */
    public static Lane of(int hash, int lanes) {
        return new Lane(hash % lanes);
    }

    /**
     * The hash of a key, or of the id where there is no key: the first four hexadecimal digits of the MD5 of its UTF-8
     * form. The same in every log, however many lanes the log has.
     */
    public static int hash(@Nullable String key, EventId id) {
        byte[] digest = md5().digest((key != null ? key : id.toString()).getBytes(StandardCharsets.UTF_8));
        return ((digest[0] & 0xFF) << 8) | (digest[1] & 0xFF);
    }

    /** A copy of one that is never used, because looking it up costs more than the digest of a key. */
    private static MessageDigest md5() {
        try {
            return (MessageDigest) UNUSED_MD5.clone();
        } catch (CloneNotSupportedException e) {
            return newMd5();
        }
    }

    private static MessageDigest newMd5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has MD5", e);
        }
    }

    @Override
    public int compareTo(Lane other) {
        return Integer.compare(number, other.number);
    }

    @Override
    public String toString() {
        return Integer.toString(number);
    }
}
