package io.postrider.webhook;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads one answer of HTTP/1.1 from a stranger: every length is bounded. Once the status is known it counts, also if
 * the body then breaks off.
 */
final class AnswerReader {
    private static final int LINE_MAX = 8 << 10;
    private static final int HEADERS_MAX = 200;
    private static final int INTERIM_MAX = 10;
    /** A body that is longer by no more than this is read to its end, so that the connection can be kept. */
    private static final int DRAIN_MAX = 64 << 10;

    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.([01]) ([1-9]\\d\\d)(?: .*)?");

    private final InputStream in;
    private long bodyBytes;
    private boolean begun;

    AnswerReader(InputStream in) {
        this.in = in;
    }

    /** Whether a single byte of the answer has come. */
    boolean hasBegun() {
        return begun;
    }

    /** @param keep how many bytes of the body are wanted */
    HttpAnswer read(int keep) throws IOException {
        for (int interim = 0; interim <= INTERIM_MAX; interim++) {
            String line = line();
            Matcher matcher = STATUS.matcher(line);
            if (!matcher.matches()) {
                throw new ProtocolException("the answer is not HTTP/1.1");
            }
            int status = Integer.parseInt(matcher.group(2));
            Map<String, String> headers = headers();
            if (status >= 200) {
                return answer(status, headers, keep, matcher.group(1).equals("0"));
            }
        }
        throw new ProtocolException("more than " + INTERIM_MAX + " interim answers");
    }

    private HttpAnswer answer(int status, Map<String, String> headers, int keep, boolean old) {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        boolean whole;
        try {
            whole = body(status, headers, kept, keep);
        } catch (IOException e) {
            whole = false; // the status has come, and that is what counts
        }
        boolean close =
                headers.getOrDefault("connection", "").toLowerCase(Locale.ROOT).contains("close");
        return new HttpAnswer(status, headers, text(kept, keep), old || close || !whole);
    }

    private static String text(ByteArrayOutputStream kept, int keep) {
        String text = HeaderFields.visible(kept.toString(StandardCharsets.UTF_8));
        return kept.size() < keep || keep == 0 ? text : text + "…";
    }

    /** True if the body was read to its end, and something else may follow it. */
    private boolean body(int status, Map<String, String> headers, ByteArrayOutputStream kept, int keep)
            throws IOException {
        if (status == 204 || status == 304) {
            return true;
        }
        String coding = headers.get("transfer-encoding");
        if (coding != null) {
            return coding.equalsIgnoreCase("chunked") && chunks(kept, keep);
        }
        String length = headers.get("content-length");
        if (length == null) {
            take(Long.MAX_VALUE, kept, keep);
            return false;
        }
        return length.matches("\\d{1,18}") && take(Long.parseLong(length), kept, keep);
    }

    private boolean chunks(ByteArrayOutputStream kept, int keep) throws IOException {
        while (true) {
            String size = line().split(";", 2)[0].strip();
            if (!size.matches("[0-9a-fA-F]{1,8}")) {
                throw new ProtocolException("a chunk has no size");
            }
            long length = Long.parseLong(size, 16);
            if (length == 0) {
                headers();
                return true;
            }
            if (!take(length, kept, keep)) {
                return false;
            }
            line();
        }
    }

    /** Takes this many bytes, and keeps what is wanted of them; false if they are too many. */
    private boolean take(long length, ByteArrayOutputStream kept, int keep) throws IOException {
        long left = length;
        byte[] buffer = new byte[4 << 10];
        while (left > 0) {
            if (bodyBytes > keep + DRAIN_MAX || (kept.size() >= keep && left > DRAIN_MAX)) {
                return false;
            }
            int count = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (count < 0) {
                throw new EOFException("the body broke off");
            }
            bodyBytes += count;
            left -= count;
            kept.write(buffer, 0, Math.min(count, keep - kept.size()));
        }
        return true;
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (int i = 0; i <= HEADERS_MAX; i++) {
            String line = line();
            if (line.isEmpty()) {
                return headers;
            }
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
        }
        throw new ProtocolException("more than " + HEADERS_MAX + " headers");
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(80);
        while (true) {
            int c = in.read();
            if (c < 0) {
                throw new EOFException("the other side closed the connection");
            }
            begun = true;
            if (c == '\n') {
                String text = line.toString(StandardCharsets.ISO_8859_1);
                return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
            }
            if (line.size() == LINE_MAX) {
                throw new ProtocolException("a line of more than " + LINE_MAX + " bytes");
            }
            line.write(c);
        }
    }
}
