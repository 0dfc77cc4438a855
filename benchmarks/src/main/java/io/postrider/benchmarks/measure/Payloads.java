package io.postrider.benchmarks.measure;

import java.util.Random;

/** What events are made of: JSON payloads of 1 KB, made once and used in turn, so that making them is not measured. */
public final class Payloads {
    public static final String TYPE = "payout.generated";
    static final int BYTES = 1_024;
    public static final int KEYS = 10_000;

    private static final String HEAD = "{\"payout\":\"p_";
    private static final int DISTINCT = 1_000;
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    private static final String[] MADE = make();

    private Payloads() {}

    public static String get(long number) {
        return MADE[(int) Math.floorMod(number, (long) DISTINCT)];
    }

    /** One that only this number has, so that a handler can tell which event it was given. */
    public static String numbered(long number) {
        String head = head(number);
        return head + get(number).substring(head.length());
    }

    /** Of a numbered one. */
    public static long number(String payload) {
        int begin = HEAD.length();
        return Long.parseLong(payload, begin, payload.indexOf('"', begin), 10);
    }

    public static String key(long number) {
        return "team-" + Math.floorMod(number, (long) KEYS);
    }

    private static String[] make() {
        Random random = new Random(42);
        String[] made = new String[DISTINCT];
        for (int i = 0; i < DISTINCT; i++) {
            made[i] = make(i, random);
        }
        return made;
    }

    /** Not shorter than that of the payload whose rest it gets. */
    private static String head(long number) {
        return HEAD + number + "\",\"amount\":1250,\"note\":\"";
    }

    private static String make(int number, Random random) {
        StringBuilder json = new StringBuilder(head(number));
        while (json.length() < BYTES - 2) {
            json.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return json.append("\"}").toString();
    }
}
