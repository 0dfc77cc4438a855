package io.postrider.benchmarks;

import java.util.Random;

/** What events are made of: JSON payloads of 1 KB, made once and used in turn, so that making them is not measured. */
final class Payloads {
    static final String TYPE = "payout.generated";
    static final int BYTES = 1_024;
    static final int KEYS = 10_000;

    private static final int DISTINCT = 1_000;
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    private static final String[] MADE = make();

    private Payloads() {}

    static String get(long number) {
        return MADE[(int) Math.floorMod(number, (long) DISTINCT)];
    }

    static String key(long number) {
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

    private static String make(int number, Random random) {
        StringBuilder json = new StringBuilder("{\"payout\":\"p_" + number + "\",\"amount\":1250,\"note\":\"");
        while (json.length() < BYTES - 2) {
            json.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return json.append("\"}").toString();
    }
}
