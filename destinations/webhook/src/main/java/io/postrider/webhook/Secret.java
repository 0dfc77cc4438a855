package io.postrider.webhook;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What the sender and the receiver of a webhook share: {@code whsec_} and base64, as Standard Webhooks writes it. Shows
 * itself to nobody. Immutable.
 */
public final class Secret {
    /** The fewest bytes of a secret. */
    public static final int BYTES_MIN = 24;
    /** The most bytes of a secret. */
    public static final int BYTES_MAX = 64;

    private static final String PREFIX = "whsec_";
    private static final String VERSION = "v1,";
    private static final String ALGORITHM = "HmacSHA256";
    private static final String WHAT_IT_IS = "a webhook secret is " + BYTES_MIN + " to " + BYTES_MAX
            + " bytes written as base64, with or without '" + PREFIX + "' before it";
    private static final String HOW_TO_MAKE_ONE = "; 'openssl rand -base64 32' makes one";

    private final byte[] key;

    private Secret(byte[] key) {
        this.key = key;
    }

    /** Reads {@code whsec_…}; the prefix may be left out. {@code openssl rand -base64 32} makes one. */
    public static Secret of(String text) {
        if (text == null) { // what an environment variable that is not set comes to
            throw new IllegalArgumentException(
                    "there is no webhook secret, it is null: set what it is read from" + HOW_TO_MAKE_ONE);
        }
        byte[] key = decode(text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text);
        if (key.length < BYTES_MIN || key.length > BYTES_MAX) {
            throw new IllegalArgumentException(
                    WHAT_IT_IS + ", and read as base64 this one has " + key.length + HOW_TO_MAKE_ONE);
        }
        return new Secret(key);
    }

    private static byte[] decode(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            // Neither the text nor the cause, which quotes from it: both are secret.
            throw new IllegalArgumentException(WHAT_IT_IS + ", and this one is not base64" + HOW_TO_MAKE_ONE);
        }
    }

    /** The signature of this message, as the header has it. */
    String sign(String id, long timestamp, byte[] body) {
        return VERSION + Base64.getEncoder().encodeToString(hmac(id, timestamp, body));
    }

    /** Whether this is the signature of this message. Takes as long when it is not. */
    boolean verifies(String signature, String id, long timestamp, byte[] body) {
        byte[] expected = sign(id, timestamp, body).getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8));
    }

    private byte[] hmac(String id, long timestamp, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
            return mac.doFinal(body);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret secret && MessageDigest.isEqual(key, secret.key);
    }

    @Override
    public int hashCode() {
        return PREFIX.hashCode(); // nothing of the key, also not in a hash
    }

    @Override
    public String toString() {
        return PREFIX + "…";
    }
}
