package io.postrider.nats;

import io.nats.client.AuthHandler;
import io.nats.client.NKey;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.io.IOException;
import java.security.GeneralSecurityException;
import org.jspecify.annotations.Nullable;

/** Tells the client library how a connection is protected, and who we are. */
final class Identities {
    private Identities() {}

    static void apply(Servers servers, Options.Builder options) {
        Security security = servers.security();
        if (servers.tls()) {
            options.sslContext(Tls.context(security)); // the library's own does not look at the host
        }
        Security.Identity identity = security.identity();
        if (identity instanceof Security.Identity.Token token) {
            options.token(token.token().chars());
        } else if (identity instanceof Security.Identity.User user) {
            options.userInfo(user.name().toCharArray(), user.password().chars());
        } else if (identity instanceof Security.Identity.Credentials credentials) {
            options.authHandler(Nats.credentials(credentials.file().toString()));
        } else if (identity instanceof Security.Identity.Nkey nkey) {
            options.authHandler(new Signing(nkey.seed()));
        }
    }

    /** Signs what the server asks to be signed. */
    private static final class Signing implements AuthHandler {
        private final Security.Secret seed;

        Signing(Security.Secret seed) {
            this.seed = seed;
        }

        @Override
        public byte[] sign(byte[] nonce) {
            NKey key = NKey.fromSeed(seed.chars());
            try {
                return key.sign(nonce);
            } catch (GeneralSecurityException | IOException e) {
                throw new IllegalStateException("the NKey cannot sign", e);
            } finally {
                key.clear();
            }
        }

        @Override
        public char[] getID() {
            NKey key = NKey.fromSeed(seed.chars());
            try {
                return key.getPublicKey();
            } catch (GeneralSecurityException | IOException e) {
                throw new IllegalStateException("the NKey has no public key", e);
            } finally {
                key.clear();
            }
        }

        @Override
        public char @Nullable [] getJWT() {
            return null;
        }
    }
}
