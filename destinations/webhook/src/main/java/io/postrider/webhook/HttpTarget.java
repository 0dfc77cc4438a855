package io.postrider.webhook;

import java.net.URI;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.net.ssl.SNIHostName;
import org.jspecify.annotations.Nullable;

/**
 * Where a request goes.
 *
 * @param host a name or an address, without brackets
 * @param path what the request line has, the query included
 */
record HttpTarget(boolean tls, String host, int port, String path) {
    private static final Pattern DOTTED_QUAD =
            Pattern.compile("((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(?!$)|$)){4}");
    private static final Pattern ENDS_IN_A_NUMBER = Pattern.compile("(.*\\.)?(\\d+|0[xX][0-9a-fA-F]*)\\.?");
    private static final int PORT_MAX = 65_535;

    static HttpTarget of(URI url) {
        boolean tls = "https".equalsIgnoreCase(url.getScheme());
        if (!tls && !"http".equalsIgnoreCase(url.getScheme())) {
            throw new IllegalArgumentException(
                    "an endpoint's URL begins with https:// or http://, got the scheme '" + url.getScheme() + "'");
        }
        if (url.getRawAuthority() != null && url.getRawAuthority().indexOf('@') >= 0) {
            throw new IllegalArgumentException("an endpoint's URL has no user and password, use a header instead");
        }
        String host = host(url.getHost(), url.getRawAuthority());
        if (url.getPort() == 0 || url.getPort() > PORT_MAX) {
            throw new IllegalArgumentException("a port is 1 to " + PORT_MAX + ", got " + url.getPort());
        }
        if (url.getRawFragment() != null) {
            throw new IllegalArgumentException("an endpoint's URL has no fragment, got '#" + url.getFragment() + "'");
        }
        int port = url.getPort() > 0 ? url.getPort() : tls ? 443 : 80;
        return new HttpTarget(tls, host, port, path(URI.create(url.toASCIIString())));
    }

    private static String host(@Nullable String host, @Nullable String authority) {
        if (host == null || host.isEmpty()) {
            throw new IllegalArgumentException(
                    "an endpoint's URL has a host of letters, digits, dots and hyphens, got '" + authority + "'");
        }
        if (host.startsWith("[")) {
            if (host.indexOf('%') >= 0) {
                throw new IllegalArgumentException("an endpoint's address has no scope, got '" + host + "'");
            }
            return host.substring(1, host.length() - 1);
        }
        // 0177.0.0.1, 0x7f.1 and 2130706433 mean an address to some and a name to others.
        if (ENDS_IN_A_NUMBER.matcher(host).matches()
                && !DOTTED_QUAD.matcher(host).matches()) {
            throw new IllegalArgumentException(
                    "an address has four decimal numbers of 0 to 255 without leading zeros, got '" + host + "'");
        }
        return name(host.toLowerCase(Locale.ROOT));
    }

    private static String name(String host) {
        try {
            new SNIHostName(host); // what TLS would refuse later
            return host;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("not the name of a host: '" + host + "'", e);
        }
    }

    private static String path(URI url) {
        String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        return url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
    }

    boolean isAddress() {
        return Cidr.isOne(host);
    }

    boolean sameOrigin(HttpTarget other) {
        return tls == other.tls && port == other.port && host.equals(other.host);
    }

    /** The Host header. */
    String authority() {
        String written = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return port == (tls ? 443 : 80) ? written : written + ":" + port;
    }

    /** Without the query, which may have a token in it. */
    @Override
    public String toString() {
        return (tls ? "https://" : "http://") + authority() + path.split("\\?", 2)[0];
    }
}
