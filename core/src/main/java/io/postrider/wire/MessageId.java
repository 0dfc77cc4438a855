package io.postrider.wire;

import io.postrider.EventId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a message is known by, as the id of an event. */
final class MessageId {
    private static final String UUID_FORM = "00000000-0000-0000-0000-000000000000";

    private static final long LOW_48 = 0xFFFF_FFFF_FFFFL;

    private MessageId() {}

    /** The id if it is a UUID, or null. */
    static @Nullable EventId uuid(String id) {
        return isUuid(id) ? EventId.of(id) : null;
    }

    /** {@link UUID#fromString} takes much that is none, and would give one id to several texts. */
    private static boolean isUuid(String id) {
        if (id.length() != UUID_FORM.length()) {
            return false;
        }
        for (int i = 0; i < id.length(); i++) {
            char c = id.charAt(i);
            boolean fits = UUID_FORM.charAt(i) == '-' ? c == '-' : c < 0x80 && Character.digit(c, 16) >= 0;
            if (!fits) {
                return false;
            }
        }
        return true;
    }

    /**
     * A UUID of version 8 (RFC 9562) by hash, always the same for the same source and id. A time goes into the first 48
     * bits, as in version 7, so that records of what was received can be forgotten by the day.
     */
    static EventId hash(String source, String id, @Nullable Instant at) {
        ByteBuffer hash = ByteBuffer.wrap(sha256(source + '\0' + id));
        long high = hash.getLong();
        if (at != null) {
            high = (at.toEpochMilli() & LOW_48) << 16 | (high & 0xFFFF);
        }
        long low = hash.getLong();
        return new EventId(
                new UUID((high & ~0xF000L) | 0x8000L, (low & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L));
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
