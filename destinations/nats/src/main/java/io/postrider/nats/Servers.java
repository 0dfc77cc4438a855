package io.postrider.nats;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which servers to connect to, and how.
 *
 * @param urls servers of one cluster, like {@code nats://one.example:4222}, or with {@code tls}, {@code ws} or
 *     {@code wss}; the next one is tried where one is not there
 * @param name what the server calls our connections in its own lists
 * @param connectTimeout how long to wait for one server, and for its answers about streams
 */
public record Servers(List<String> urls, String name, Security security, Duration connectTimeout) {
    private static final Set<String> SCHEMES = Set.of("nats", "tls", "ws", "wss");
    private static final Set<String> SECURE = Set.of("tls", "wss");

    public Servers {
        urls = List.copyOf(urls);
        if (urls.isEmpty()) {
            throw new IllegalArgumentException("a connection needs at least one server");
        }
        urls.forEach(Servers::requireUrl);
        if (name.isBlank()) {
            throw new IllegalArgumentException("a connection needs a name");
        }
        if (connectTimeout.isNegative() || connectTimeout.isZero()) {
            throw new IllegalArgumentException("connectTimeout is longer than zero, got " + connectTimeout);
        }
    }

    public static Servers at(String... urls) {
        return new Servers(List.of(urls), "postrider", Security.none(), Duration.ofSeconds(2));
    }

    public Servers name(String name) {
        return new Servers(urls, name, security, connectTimeout);
    }

    public Servers security(Security security) {
        return new Servers(urls, name, security, connectTimeout);
    }

    public Servers connectTimeout(Duration connectTimeout) {
        return new Servers(urls, name, security, connectTimeout);
    }

    /** Whether the connection is to be by TLS: because of its files, or because an address says so. */
    boolean tls() {
        return security.tls()
                || uris().stream()
                        .anyMatch(uri -> SECURE.contains(uri.getScheme().toLowerCase(Locale.ROOT)));
    }

    List<URI> uris() {
        return urls.stream().map(url -> URI.create(withScheme(url))).toList();
    }

    private static String withScheme(String url) {
        return url.contains("://") ? url : "nats://" + url;
    }

    private static void requireUrl(String url) {
        try {
            URI uri = new URI(withScheme(url));
            if (uri.getRawUserInfo() != null) {
                // Not shown: it has a secret.
                throw new IllegalArgumentException(
                        "the address of " + uri.getHost() + " has a user or token in it: say it with Security");
            }
            if (uri.getHost() == null) {
                throw new IllegalArgumentException("a server is like nats://host:4222, got '" + url + "'");
            }
            if (!SCHEMES.contains(uri.getScheme().toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException("a server's address begins with nats://, tls://, ws:// or wss://,"
                        + " like nats://host:4222, got '" + url + "'");
            }
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("a server is like nats://host:4222; one of " + url.length()
                    + " characters is not: " + e.getReason() + " at " + e.getIndex());
        }
    }
}
