package io.postrider.wire;

import io.postrider.EventId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a message is known by, as the id of an event. */
final class MessageId {
    /** {@link UUID#fromString} takes much that is none, and would give one id to several texts. */
    private static final Pattern UUID_TEXT =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

    private static final long LOW_48 = 0xFFFF_FFFF_FFFFL;

    private MessageId() {}

    /** The id if it is a UUID, or null. */
    static @Nullable EventId uuid(String id) {
        return UUID_TEXT.matcher(id).matches() ? EventId.of(id) : null;
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
