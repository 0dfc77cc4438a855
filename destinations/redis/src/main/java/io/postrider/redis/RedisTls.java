package io.postrider.redis;

import io.lettuce.core.SslOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How to speak TLS with a server. The server's certificate and its name are always checked. Immutable.
 *
 * @param authority PEM file of the authorities that we trust; those of this Java if null
 * @param certificate PEM file of our own certificate, where the server wants one (mutual TLS)
 * @param key PEM file of its key, in PKCS #8 form
 * @param keyPassword the password of that file, if it has one
 */
public record RedisTls(
        @Nullable Path authority,
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable String keyPassword) {

    public RedisTls {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException(
                    "a certificate and its key belong together, got certificate " + certificate + " and key " + key);
        }
        requireReadable(authority);
        requireReadable(certificate);
        requireReadable(key);
    }

    /** Trusts whom this Java trusts. */
    public static RedisTls trusted() {
        return new RedisTls(null, null, null, null);
    }

    /** Trusts the authorities of a PEM file, and no others. */
    public static RedisTls trusting(Path authority) {
        return new RedisTls(authority, null, null, null);
    }

    /** Shows this certificate to the server. */
    public RedisTls certificate(Path certificate, Path key) {
        return new RedisTls(authority, certificate, key, keyPassword);
    }

    public RedisTls keyPassword(String keyPassword) {
        return new RedisTls(authority, certificate, key, keyPassword);
    }

    SslOptions options() {
        SslOptions.Builder options = SslOptions.builder().jdkSslProvider();
        if (authority != null) {
            options.trustManager(authority.toFile());
        }
        if (certificate != null && key != null) {
            char[] password = keyPassword == null ? new char[0] : keyPassword.toCharArray();
            options.keyManager(certificate.toFile(), key.toFile(), password);
        }
        return options.build();
    }

    private static void requireReadable(@Nullable Path file) {
        if (file != null && !Files.isReadable(file)) {
            throw new IllegalArgumentException("cannot read the PEM file " + file);
        }
    }

    @Override
    public String toString() {
        return "RedisTls[authority=" + authority + ", certificate=" + certificate + "]";
    }
}
