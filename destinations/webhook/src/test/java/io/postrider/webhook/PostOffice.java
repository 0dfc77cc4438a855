package io.postrider.webhook;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A server that keeps what is posted to it and answers as it is told. It can be ended and started on its port. */
final class PostOffice implements AutoCloseable {
    static {
        // Otherwise each answer on a kept connection waits for an acknowledgement of its first half.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private final HttpHandler handler;
    private final @Nullable SSLContext tls;
    private final List<Posted> posted = new CopyOnWriteArrayList<>();
    private ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;
    private int port;

    /** What was posted; header names in any case. */
    record Posted(String path, Map<String, String> headers, byte[] body) {}

    private PostOffice(HttpHandler handler, @Nullable SSLContext tls) {
        this.handler = handler;
        this.tls = tls;
        this.server = start(0);
        this.port = server.getAddress().getPort();
    }

    static PostOffice handledBy(HttpHandler handler) {
        return new PostOffice(handler, null);
    }

    static PostOffice open(Answer answer) {
        return open(answer, null);
    }

    static PostOffice open(Answer answer, @Nullable SSLContext tls) {
        List<PostOffice> self = new CopyOnWriteArrayList<>();
        PostOffice office = new PostOffice(exchange -> self.get(0).keep(exchange, answer), tls);
        self.add(office);
        return office;
    }

    /** What to do with a request that was read. */
    interface Answer {
        void to(HttpExchange exchange) throws IOException;

        static Answer status(int status, String body, String... headers) {
            return exchange -> {
                for (int i = 0; i < headers.length; i += 2) {
                    exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
                }
                byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
                exchange.getResponseBody().write(bytes);
            };
        }
    }

    private void keep(HttpExchange exchange, Answer answer) throws IOException {
        try (exchange) {
            Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, String.join(" | ", values)));
            byte[] body = exchange.getRequestBody().readAllBytes();
            posted.add(new Posted(exchange.getRequestURI().toString(), headers, body));
            answer.to(exchange);
        }
    }

    private HttpServer start(int on) {
        try {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), on);
            HttpServer starting = tls == null ? HttpServer.create(address, 0) : HttpsServer.create(address, 0);
            if (starting instanceof HttpsServer https && tls != null) {
                https.setHttpsConfigurator(new HttpsConfigurator(tls));
            }
            starting.createContext("/", handler);
            threads = Executors.newCachedThreadPool();
            starting.setExecutor(threads);
            starting.start();
            return starting;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<Posted> posted() {
        return List.copyOf(posted);
    }

    Posted last() {
        return posted.get(posted.size() - 1);
    }

    String url(String path) {
        return (tls == null ? "http" : "https") + "://localhost:" + port + path;
    }

    int port() {
        return port;
    }

    void stop() {
        server.stop(0);
        threads.shutdownNow();
    }

    void startAgain() {
        server = start(port);
    }

    @Override
    public void close() {
        stop();
    }
}
