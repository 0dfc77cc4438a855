package io.postrider.nats;

import io.nats.client.Options;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Makes an SSL context of the files in a {@link Security}. */
final class Tls {
    private Tls() {}

    static SSLContext context(Security security) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            Security.Store own = security.own().orElse(null);
            context.init(own == null ? new KeyManager[0] : keys(own), trust(security), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new Misconfigured("TLS cannot be set up: " + words(e));
        }
    }

    private static KeyManager[] keys(Security.Store own) throws GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(load(own), own.password().chars());
        return keys.getKeyManagers();
    }

    private static TrustManager[] trust(Security security) throws GeneralSecurityException {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        Security.Store trusted = security.trusted().orElse(null);
        trust.init(trusted == null ? null : load(trusted));
        TrustManager[] managers = trust.getTrustManagers();
        return security.anyHost()
                ? managers
                : new TrustManager[] {new HostChecking((X509ExtendedTrustManager) managers[0])};
    }

    private static KeyStore load(Security.Store store) throws GeneralSecurityException {
        try (InputStream in = Files.newInputStream(store.file())) {
            KeyStore loaded = KeyStore.getInstance("PKCS12");
            loaded.load(in, store.password().chars());
            return loaded;
        } catch (IOException e) {
            throw new Misconfigured(store.file() + " cannot be opened as a PKCS12 file with its password: " + words(e));
        }
    }

    /** Its message, or what it is where it has none. */
    static String words(Throwable failure) {
        String message = failure.getMessage();
        return message == null ? failure.getClass().getSimpleName() : message;
    }

    /**
     * What this server has against a TLS connection with us, if anything. It may say so only after the handshake, and
     * the client library then keeps it to itself.
     */
    static Optional<String> objection(URI server, SSLContext context, Duration timeout) {
        int millis = (int) timeout.toMillis();
        int port = server.getPort() < 0 ? Options.DEFAULT_PORT : server.getPort();
        try (Socket plain = new Socket()) {
            plain.connect(new InetSocketAddress(server.getHost(), port), millis);
            plain.setSoTimeout(millis);
            readLine(plain.getInputStream());
            try (Socket secure = context.getSocketFactory().createSocket(plain, server.getHost(), port, true)) {
                // Nothing is sent: a server that closes with something unread takes its last words along.
                readLine(secure.getInputStream());
            }
            return Optional.empty();
        } catch (SSLException e) {
            return Optional.of(words(e));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static void readLine(InputStream in) throws IOException {
        int read = in.read();
        while (read >= 0 && read != '\n') {
            read = in.read();
        }
    }

    /** The client library does not compare the certificate with the host's name; this makes it do so. */
    private static final class HostChecking extends X509ExtendedTrustManager {
        private final X509ExtendedTrustManager trust;

        HostChecking(X509ExtendedTrustManager trust) {
            this.trust = trust;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable Socket socket)
                throws CertificateException {
            if (!(socket instanceof SSLSocket ssl)) {
                throw new CertificateException("the host of a certificate can be checked on an SSL socket only");
            }
            SSLParameters parameters = ssl.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            ssl.setSSLParameters(parameters);
            trust.checkServerTrusted(chain, type, socket);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            engine.setSSLParameters(parameters);
            trust.checkServerTrusted(chain, type, engine);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw new CertificateException("the host of a certificate can be checked on an SSL socket only");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            trust.checkClientTrusted(chain, type, socket);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            trust.checkClientTrusted(chain, type, engine);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            trust.checkClientTrusted(chain, type);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return trust.getAcceptedIssuers();
        }
    }
}
