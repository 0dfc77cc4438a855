package io.postrider.webhook;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** A request: what is written to the connection, whole. */
record HttpPost(HttpTarget target, Map<String, String> headers, byte[] body) {

    HttpPost to(HttpTarget other) {
        return new HttpPost(other, headers, body);
    }

    byte[] head(boolean keepAlive) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.put("user-agent", "Postrider");
        all.putAll(headers);
        all.put("content-length", Integer.toString(body.length));
        all.put("connection", keepAlive ? "keep-alive" : "close");
        StringBuilder head = new StringBuilder(512);
        head.append("POST ").append(target.path()).append(" HTTP/1.1\r\n");
        line(head, "host", target.authority());
        all.forEach((name, value) -> line(head, name, value));
        return head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static void line(StringBuilder head, String name, String value) {
        // Everything was encoded or checked before. A line break here would be a header of somebody else's making.
        if (!HeaderFields.isName(name) || !(value.isEmpty() || HeaderFields.isValue(value))) {
            throw new IllegalArgumentException("not an HTTP header: '" + HeaderFields.visible(name) + "'");
        }
        head.append(name).append(": ").append(value).append("\r\n");
    }
}
