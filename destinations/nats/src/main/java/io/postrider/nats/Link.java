package io.postrider.nats;

import io.nats.client.AuthenticationException;
import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection, from its making to its loss: it never comes back. Whoever wants another one makes it, after having
 * looked at what the server has kept; the client library by itself would go on publishing to a server that has lost
 * something. Thread-safe.
 */
final class Link implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Link.class);
    private static final Duration PING = Duration.ofSeconds(10);
    /** How long to wait for what the library knows about a failed connect, and tells on another thread. */
    private static final Duration REASON_WITHIN = Duration.ofMillis(300);

    private final Connection connection;
    private final JetStreamManagement management;
    private final CompletableFuture<String> lost = new CompletableFuture<>();
    private volatile Consumer<String> complaints = words -> {};

    private Link(Connection connection, Duration requestTimeout) throws IOException {
        this.connection = connection;
        JetStreamOptions options =
                JetStreamOptions.builder().requestTimeout(requestTimeout).build();
        this.management = connection.jetStreamManagement(options);
    }

    /**
     * Connects to the first server that is there.
     *
     * @param who for whom, in the log
     * @param unicode whether subjects may have characters outside ASCII
     * @param answers the longest time to wait for an answer to a request
     * @throws IOException if there is none
     * @throws Misconfigured if there is one that does not let us in
     */
    static Link connect(String who, Servers servers, boolean unicode, Duration answers)
            throws IOException, InterruptedException {
        Reports reports = new Reports(who, servers);
        Options options = options(servers, unicode, answers, reports);
        Connection connection;
        try {
            connection = Nats.connect(options);
        } catch (AuthenticationException e) {
            throw new Misconfigured(servers.urls() + " refuses " + servers.security() + ": " + e.getMessage());
        } catch (IOException e) {
            throw reports.failure(e);
        }
        Link link = new Link(connection, servers.connectTimeout());
        reports.belongTo(link);
        return link;
    }

    private static Options options(Servers servers, boolean unicode, Duration answers, Reports reports) {
        Options.Builder options = new Options.Builder()
                .servers(servers.urls().toArray(new String[0]))
                .connectionName(servers.name())
                .connectionTimeout(servers.connectTimeout())
                .noReconnect()
                // An address that was resolved earlier could not be compared with the name in a certificate.
                .hostnameResolveMode(Options.HostnameResolveMode.HappyEyeballs)
                .pingInterval(PING)
                .requestCleanupInterval(answers)
                .connectionListener(reports)
                .errorListener(reports);
        if (unicode) {
            options.supportUTF8Subjects();
        }
        Identities.apply(servers, options);
        return options.build();
    }

    Connection connection() {
        return connection;
    }

    JetStreamManagement management() {
        return management;
    }

    /**
     * For when nothing is answered about streams.
     *
     * @throws Misconfigured if that is because the server has none
     */
    void requireJetStream() {
        if (!connection.getServerInfo().isJetStreamAvailable()) {
            throw new Misconfigured("the server at " + connection.getConnectedUrl() + " has no JetStream");
        }
    }

    boolean isLost() {
        return lost.isDone();
    }

    /** Tells why, once, when it is lost, or at once if it is already. */
    void onLost(Consumer<String> listener) {
        var unused = lost.thenAccept(listener);
    }

    /** Tells what the server complains about, in its words. */
    void onComplaint(Consumer<String> listener) {
        complaints = listener;
    }

    /** Gives it up: nothing that arrives on it counts any more. */
    void cutOff(String why) {
        if (lost.complete(why)) {
            // Closing waits for a server that may not answer.
            Thread closing = new Thread(this::closeConnection, "postrider-nats-close");
            closing.setDaemon(true);
            closing.start();
        }
    }

    private void closeConnection() {
        try {
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        cutOff("the connection was closed");
    }

    /** Listens to the library about one connection, on the library's own threads. */
    private static final class Reports implements ConnectionListener, ErrorListener {
        private final String who;
        private final Servers servers;
        private final List<Exception> exceptions = new CopyOnWriteArrayList<>();
        private final CompletableFuture<Misconfigured> misfit = new CompletableFuture<>();
        private volatile String words = "";
        private volatile @Nullable Link link;

        Reports(String who, Servers servers) {
            this.who = who;
            this.servers = servers;
        }

        void belongTo(Link made) {
            link = made;
            lookAfter(made);
        }

        @Override
        @SuppressWarnings("deprecation") // it has no body in the interface
        public void connectionEvent(Connection connection, ConnectionListener.Events type) {
            Link made = link;
            if (made != null) {
                lookAfter(made);
            }
        }

        private void lookAfter(Link made) {
            // The status and not the event decides: an event may be about a server that was tried earlier.
            if (made.connection.getStatus() != Connection.Status.CONNECTED) {
                made.cutOff("the connection to NATS was lost" + (words.isEmpty() ? "" : ": " + words));
            }
        }

        @Override
        public void errorOccurred(Connection connection, String error) {
            words = error;
            log.warn("NATS at {} says to '{}': {}", servers.urls(), who, error);
            Link made = link;
            if (made != null) {
                made.complaints.accept(error);
            }
        }

        @Override
        public void exceptionOccurred(Connection connection, Exception exception) {
            exceptions.add(exception);
            log.debug("connection of '{}' to NATS at {}: {}", who, servers.urls(), exception.toString());
            for (Throwable cause = exception; cause != null; cause = cause.getCause()) {
                String message = Tls.words(cause);
                if (cause instanceof SSLException || message.startsWith("SSL ")) {
                    misfit.complete(noTls(message));
                }
            }
        }

        IOException failure(IOException thrown) throws InterruptedException {
            Misconfigured known = misfit();
            if (known != null) {
                throw known;
            }
            List<String> reasons =
                    exceptions.stream().map(Exception::toString).distinct().toList();
            return new IOException("no NATS server can be reached at " + servers.urls() + ": "
                    + (reasons.isEmpty() ? Tls.words(thrown) : String.join("; ", reasons)));
        }

        private @Nullable Misconfigured misfit() throws InterruptedException {
            try {
                return misfit.get(REASON_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException | ExecutionException nothingTold) {
                return servers.tls() ? tlsMisfit() : null;
            }
        }

        private @Nullable Misconfigured tlsMisfit() {
            SSLContext context = Tls.context(servers.security());
            return servers.uris().stream()
                    .flatMap(uri -> Tls.objection(uri, context, servers.connectTimeout()).stream())
                    .map(Reports::noTls)
                    .findFirst()
                    .orElse(null);
        }

        private static Misconfigured noTls(String reason) {
            return new Misconfigured("no TLS connection comes about: " + reason);
        }
    }
}
