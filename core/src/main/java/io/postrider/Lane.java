package io.postrider;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/** One of the hash slots of a log: per subscription the unit of ownership, with a cursor and an epoch. */
public record Lane(int number) implements Comparable<Lane> {

    /** How many lanes a log has. Fixed when the log is created; every language computes the same lane. */
    public static final int COUNT = 16;

    private static final MessageDigest UNUSED_MD5 = newMd5();

    public Lane {
        if (number < 0 || number >= COUNT) {
            throw new IllegalArgumentException("a lane is 0 to " + (COUNT - 1) + ", got " + number);
        }
    }

    /**
     * The lane of a key, or of the id where there is no key: the first four hexadecimal digits of the MD5 of its UTF-8
     * form, modulo the number of lanes. The function {@code lane_of} computes the same in SQL.
     */
    public static Lane of(@Nullable String key, EventId id) {
        byte[] digest = md5().digest((key != null ? key : id.toString()).getBytes(StandardCharsets.UTF_8));
        return new Lane((((digest[0] & 0xFF) << 8) | (digest[1] & 0xFF)) % COUNT);
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
