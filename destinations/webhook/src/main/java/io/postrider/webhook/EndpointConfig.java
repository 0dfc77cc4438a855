package io.postrider.webhook;

import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * An HTTP endpoint that takes events.
 *
 * @param url {@code https://…} or {@code http://…}, without user and password
 * @param secrets each signs every request, so that a receiver may know any one of them: two while one is exchanged
 * @param headers what is sent beside the event, credentials for instance; their values are never shown
 * @param limits every bound
 */
public record EndpointConfig(URI url, List<Secret> secrets, Map<String, String> headers, EndpointLimits limits) {
    /** The most secrets of an endpoint. */
    public static final int SECRETS_MAX = 8;
    /** The most headers that are sent beside the event. */
    public static final int HEADERS_MAX = 50;

    private static final Set<String> OURS = Set.of(
            "host",
            "connection",
            "content-length",
            "content-type",
            "transfer-encoding",
            "te",
            "trailer",
            "upgrade",
            "expect",
            "keep-alive",
            "proxy-connection");

    public EndpointConfig {
        HttpTarget.of(url);
        if (secrets.size() > SECRETS_MAX) {
            throw new IllegalArgumentException(
                    "an endpoint has at most " + SECRETS_MAX + " secrets, got " + secrets.size());
        }
        if (headers.size() > HEADERS_MAX) {
            throw new IllegalArgumentException(
                    "an endpoint has at most " + HEADERS_MAX + " headers, got " + headers.size());
        }
        headers.forEach(EndpointConfig::requireHeader);
        secrets = List.copyOf(secrets);
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    /** An endpoint whose requests are signed with this secret. */
    public static EndpointConfig of(String url, Secret secret) {
        return new EndpointConfig(uri(url), List.of(secret), Map.of(), EndpointLimits.DEFAULT);
    }

    /** An endpoint that is sent no signature: it cannot tell whom a request is from. */
    public static EndpointConfig unsigned(String url) {
        return new EndpointConfig(uri(url), List.of(), Map.of(), EndpointLimits.DEFAULT);
    }

    private static URI uri(String url) {
        try {
            return new URI(url);
        } catch (java.net.URISyntaxException e) {
            // Without the cause, and not the whole: what is wrong may be part of a password.
            throw new IllegalArgumentException(
                    "an endpoint's URL cannot be read: " + e.getReason() + " at character " + e.getIndex());
        }
    }

    /** One more secret; the endpoint may verify with any. */
    public EndpointConfig secret(Secret secret) {
        List<Secret> more = new ArrayList<>(secrets);
        more.add(secret);
        return new EndpointConfig(url, more, headers, limits);
    }

    public EndpointConfig header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new EndpointConfig(url, secrets, more, limits);
    }

    public EndpointConfig limits(EndpointLimits limits) {
        return new EndpointConfig(url, secrets, headers, limits);
    }

    private static void requireHeader(String name, String value) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (!HeaderFields.isName(name)) {
            throw new IllegalArgumentException("not the name of an HTTP header: '" + HeaderFields.visible(name) + "'");
        }
        if (OURS.contains(lower) || HeaderFields.isReserved(lower)) {
            throw new IllegalArgumentException("the header '" + name + "' is set by the destination itself");
        }
        if (!HeaderFields.isValue(value)) {
            throw new IllegalArgumentException(
                    "the value of the header '" + name + "' has characters that HTTP does not allow");
        }
    }

    @Override
    public String toString() {
        return "EndpointConfig[" + HttpTarget.of(url) + ", " + secrets.size() + " secrets, headers " + headers.keySet()
                + ", " + limits + "]";
    }
}
