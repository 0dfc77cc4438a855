package io.postrider.engine.base;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** What is logged while something is done. */
public final class Told {
    private Told() {}

    public static String by(Runnable doing) {
        PrintStream before = System.err;
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        try {
            doing.run();
        } finally {
            System.setErr(before);
        }
        return told.toString(StandardCharsets.UTF_8);
    }
}
