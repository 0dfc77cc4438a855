package io.postrider.webhook;

import io.postrider.webhook.HttpFailure.Kind;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A connection to an endpoint, for one request after another. Java's own HTTP client looks a name up by itself after it
 * was checked, and could be led elsewhere by a name that has changed; this one connects to the address that was
 * checked, while TLS still asks for the name. It speaks HTTP/1.1 only. Not thread-safe.
 */
final class HttpConnection {
    /** A small request travels as one packet. */
    private static final int BUFFER = 16 << 10;

    private final Watch watch;
    private final Socket raw;
    private final InputStream in;
    private final OutputStream out;
    private boolean used;

    private HttpConnection(Watch watch, Socket raw, Socket socket) throws IOException {
        this.watch = watch;
        this.raw = raw;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = new BufferedOutputStream(socket.getOutputStream(), BUFFER);
    }

    static HttpConnection open(HttpTarget target, Reach reach, SSLContext tls, Watch watch, Duration timeout)
            throws HttpFailure, OutOfReachException {
        List<InetAddress> addresses;
        try {
            addresses = reach.resolve(target.host());
        } catch (UnknownHostException e) {
            throw new HttpFailure(Kind.UNREACHABLE, "the host '" + target.host() + "' is unknown", e);
        }
        HttpFailure last = null;
        Duration each = timeout.dividedBy(addresses.size());
        for (InetAddress address : addresses) {
            try {
                return open(target, address, tls, watch, each);
            } catch (HttpFailure e) {
                last = e;
            }
        }
        throw last != null ? last : new HttpFailure(Kind.UNREACHABLE, "no address", new UnknownHostException());
    }

    private static HttpConnection open(
            HttpTarget target, InetAddress address, SSLContext tls, Watch watch, Duration timeout) throws HttpFailure {
        Socket raw = watch.socket();
        HttpConnection connection = null;
        boolean connected = false;
        boolean expired = false;
        try (Watch.Turn turn = watch.over(raw, timeout)) {
            try {
                raw.setTcpNoDelay(true);
                raw.connect(new InetSocketAddress(address, target.port()));
                connected = true;
                connection = new HttpConnection(watch, raw, target.tls() ? secure(target, raw, tls) : raw);
                return connection;
            } finally {
                expired = turn.isExpired();
            }
        } catch (IOException e) {
            String where = target.authority() + " (" + address.getHostAddress() + ")";
            Duration limit = expired ? timeout : null;
            String why = connected && target.tls() ? withoutTls(where, e, limit) : unconnected(where, e, limit);
            throw new HttpFailure(Kind.UNREACHABLE, why, e);
        } finally {
            if (connection == null) {
                watch.end(raw);
            }
        }
    }

    private static Socket secure(HttpTarget target, Socket raw, SSLContext tls) throws IOException {
        SSLSocket socket = (SSLSocket) tls.getSocketFactory().createSocket(raw, target.host(), target.port(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        if (!target.isAddress()) {
            parameters.setServerNames(List.of(new SNIHostName(target.host())));
        }
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private static String unconnected(String where, IOException e, @Nullable Duration limit) {
        return "no connection to " + where + (limit != null ? " within " + Time.words(limit) : ": " + e.getMessage());
    }

    private static String withoutTls(String where, IOException e, @Nullable Duration limit) {
        if (limit != null) {
            return "no TLS with " + where + " within " + Time.words(limit)
                    + ", although it took the connection: does it speak https?";
        }
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                return "the certificate of " + where + " is not accepted: " + cause.getMessage();
            }
        }
        return "no TLS with " + where + ": " + e.getMessage();
    }

    /** Sends a request and waits for its answer. After a failure, or the last answer, it is of no more use. */
    HttpAnswer exchange(HttpPost post, EndpointLimits limits) throws HttpFailure {
        AnswerReader reader = new AnswerReader(in);
        boolean again = used;
        used = true;
        try (Watch.Turn turn = watch.over(raw, limits.responseTimeout())) {
            try {
                return send(post, reader, limits);
            } catch (IOException e) {
                close();
                if (turn.isExpired()) {
                    throw new HttpFailure(
                            Kind.UNANSWERED, "no answer within " + Time.words(limits.responseTimeout()), e);
                }
                Kind kind = again && !reader.hasBegun() ? Kind.STALE : Kind.UNANSWERED;
                throw new HttpFailure(kind, "no answer: " + e.getMessage(), e);
            }
        }
    }

    private HttpAnswer send(HttpPost post, AnswerReader reader, EndpointLimits limits) throws IOException {
        try {
            out.write(post.head(!limits.keepAlive().isZero()));
            out.write(post.body());
            out.flush();
        } catch (IOException sending) {
            return answerToAPart(reader, limits, sending);
        }
        return reader.read(limits.responseBytes());
    }

    /** An endpoint that refuses a request before it has read all of it may have said why. */
    private static HttpAnswer answerToAPart(AnswerReader reader, EndpointLimits limits, IOException sending)
            throws IOException {
        try {
            return reader.read(limits.responseBytes());
        } catch (IOException e) {
            sending.addSuppressed(e);
            throw sending;
        }
    }

    /** Whether the other side, which nobody has asked for anything, keeps the connection for this time. */
    boolean lasts(Duration time) {
        try (Watch.Turn turn = watch.over(raw, time)) {
            try {
                return in.read() >= 0;
            } catch (IOException e) {
                return turn.isExpired();
            }
        }
    }

    void close() {
        watch.end(raw);
    }
}
