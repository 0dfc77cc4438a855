package io.postrider.nats;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a connection is protected, and who we are. Each method with an argument returns a changed copy; of the ways to
 * say who we are, the last one counts. Immutable. Secrets are in no text that this class writes.
 */
public final class Security {
    private final @Nullable Store trusted;
    private final @Nullable Store own;
    private final boolean anyHost;
    private final Identity identity;

    /** A PKCS12 file and its password. */
    record Store(Path file, Secret password) {}

    /** Something that is never shown. */
    record Secret(String text) {
        char[] chars() {
            return text.toCharArray();
        }

        @Override
        public String toString() {
            return "***";
        }
    }

    /** Our identity towards the server. */
    sealed interface Identity {
        record Nobody() implements Identity {}

        record Token(Secret token) implements Identity {}

        record User(String name, Secret password) implements Identity {}

        record Credentials(Path file) implements Identity {}

        record Nkey(Secret seed) implements Identity {}
    }

    private Security(@Nullable Store trusted, @Nullable Store own, boolean anyHost, Identity identity) {
        this.trusted = trusted;
        this.own = own;
        this.anyHost = anyHost;
        this.identity = identity;
    }

    /** No TLS, and nobody in particular. */
    public static Security none() {
        return new Security(null, null, false, new Identity.Nobody());
    }

    /** TLS with servers whose certificates are signed by one in this PKCS12 file. */
    public Security truststore(Path file, String password) {
        return new Security(store("truststore", file, password), own, anyHost, identity);
    }

    /** Mutual TLS: shows the server the certificate in this PKCS12 file. */
    public Security keystore(Path file, String password) {
        return new Security(trusted, store("keystore", file, password), anyHost, identity);
    }

    /** Whether the server's certificate may be for another host than the one in its address. */
    public Security anyHost(boolean anyHost) {
        return new Security(trusted, own, anyHost, identity);
    }

    public Security token(String token) {
        return new Security(trusted, own, anyHost, new Identity.Token(new Secret(token)));
    }

    public Security user(String name, String password) {
        return new Security(trusted, own, anyHost, new Identity.User(name, new Secret(password)));
    }

    /** A credentials file, with a JWT and the seed of its key. Read at each connect, so that it can be renewed. */
    public Security credentials(Path file) {
        requireFile("credentials file", file);
        return new Security(trusted, own, anyHost, new Identity.Credentials(file));
    }

    /** The seed of a user's NKey, which begins with {@code SU}. */
    public Security nkey(String seed) {
        if (!seed.startsWith("SU")) {
            throw new IllegalArgumentException("the seed of a user's NKey begins with SU; this one does not");
        }
        return new Security(trusted, own, anyHost, new Identity.Nkey(new Secret(seed)));
    }

    private static Store store(String what, Path file, String password) {
        requireFile(what, file);
        return new Store(file, new Secret(password));
    }

    private static void requireFile(String what, Path file) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException("the " + what + " " + file + " does not exist or cannot be read");
        }
    }

    boolean tls() {
        return trusted != null || own != null;
    }

    Optional<Store> trusted() {
        return Optional.ofNullable(trusted);
    }

    Optional<Store> own() {
        return Optional.ofNullable(own);
    }

    boolean anyHost() {
        return anyHost;
    }

    Identity identity() {
        return identity;
    }

    @Override
    public String toString() {
        String tls = own != null ? "mutual TLS" : tls() ? "TLS" : "no TLS";
        return "Security[" + tls + ", " + identity + "]";
    }
}
