package io.postrider.nats;

import io.nats.client.impl.Headers;
import io.postrider.wire.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes the headers of messages, byte for byte as the client library does. That makes four hash tables of each
 * message's, to find the same order of the same names each time; here the names and their order are remembered.
 * Thread-safe.
 */
final class HeaderWriter {
    /** Where names are made of ids there is no end to them. */
    private static final int REMEMBERED_MAX = 1_000;

    private static final byte[] VERSION = ascii("NATS/1.0\r\n");

    private final Layouts unrouted = new Layouts(List.of(NatsHeaders.MESSAGE_ID));
    private final Layouts routed = new Layouts(List.of(NatsHeaders.MESSAGE_ID, NatsHeaders.EXPECTED_STREAM));

    /** @param stream the one that has to take it, if a route says so */
    Headers write(Message message, String id, @Nullable String stream) {
        int size = message.headers().size();
        List<String> names = new ArrayList<>(size);
        List<String> values = new ArrayList<>(size + 2);
        values.add(id);
        if (stream != null) {
            values.add(stream);
        }
        message.headers().forEach((name, value) -> {
            names.add(name);
            values.add(NatsHeaders.value(name, value));
        });
        return (stream == null ? unrouted : routed).of(names).fill(values);
    }

    /** The layouts of messages that tell the server the same. */
    private static final class Layouts {
        private final List<String> toServer;
        private final Map<List<String>, Layout> remembered = new ConcurrentHashMap<>();

        Layouts(List<String> toServer) {
            this.toServer = toServer;
        }

        Layout of(List<String> names) {
            Layout known = remembered.get(names);
            return known != null ? known : make(names);
        }

        private Layout make(List<String> names) {
            List<String> encoded = new ArrayList<>(toServer);
            names.forEach(name -> encoded.add(NatsHeaders.name(name)));
            Layout made = Layout.of(encoded);
            if (remembered.size() < REMEMBERED_MAX) {
                remembered.put(names, made);
            }
            return made;
        }
    }

    /**
     * Names as they are written.
     *
     * @param order for each name, which of the values it has
     */
    private record Layout(byte[][] names, int[] order) {

        static Layout of(List<String> names) {
            Headers likewise = new Headers();
            names.forEach(name -> likewise.put(name, ""));
            String[] ordered = new Headers(likewise, true).keySet().toArray(String[]::new);
            return new Layout(
                    Arrays.stream(ordered).map(name -> ascii(name + ":")).toArray(byte[][]::new),
                    Arrays.stream(ordered).mapToInt(names::indexOf).toArray());
        }

        Headers fill(List<String> values) {
            int length = VERSION.length + 2;
            for (int i = 0; i < names.length; i++) {
                length += names[i].length + values.get(i).length() + 2;
            }
            byte[] bytes = new byte[length];
            int end = put(VERSION, bytes, 0);
            for (int i = 0; i < names.length; i++) {
                end = put(names[i], bytes, end);
                end = endLine(bytes, put(values.get(order[i]), bytes, end));
            }
            endLine(bytes, end);
            return new WrittenHeaders(bytes);
        }

        private static int put(byte[] part, byte[] bytes, int at) {
            System.arraycopy(part, 0, bytes, at, part.length);
            return at + part.length;
        }

        @SuppressWarnings("deprecation") // it copies the low bytes, and of ASCII there are no others
        private static int put(String ascii, byte[] bytes, int at) {
            ascii.getBytes(0, ascii.length(), bytes, at);
            return at + ascii.length();
        }

        private static int endLine(byte[] bytes, int at) {
            bytes[at] = '\r';
            bytes[at + 1] = '\n';
            return at + 2;
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
