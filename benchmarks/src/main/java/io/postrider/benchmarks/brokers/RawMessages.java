package io.postrider.benchmarks.brokers;

import io.postrider.benchmarks.measure.Payloads;
import io.postrider.wire.Message;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** What a destination would send, without a log to read it from: the same bodies, and as many headers. */
final class RawMessages {
    private static final int BODIES = 1_000;
    private static final String TIME = "2026-01-01T00:00:00.000001Z";
    /** The bits that make a UUID one of version 7. */
    private static final long VERSION = 0x7000L;

    private static final long VARIANT = 0x8000_0000_0000_0000L;

    private final byte[][] bodies;

    private RawMessages(byte[][] bodies) {
        this.bodies = bodies;
    }

    static RawMessages make() {
        byte[][] bodies = new byte[BODIES][];
        for (int i = 0; i < BODIES; i++) {
            bodies[i] = Payloads.get(i).getBytes(StandardCharsets.UTF_8);
        }
        return new RawMessages(bodies);
    }

    byte[] body(int number) {
        return bodies[number % BODIES];
    }

    String id(int number) {
        return new UUID(VERSION, VARIANT | number).toString();
    }

    Map<String, String> headers(int number) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(Message.ID, id(number));
        headers.put(Message.TYPE, Payloads.TYPE);
        headers.put(Message.KEY, Payloads.key(number));
        headers.put(Message.TIME, TIME);
        headers.put(Message.CONTENT_TYPE, "application/json");
        return headers;
    }
}
