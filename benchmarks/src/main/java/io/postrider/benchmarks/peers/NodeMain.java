package io.postrider.benchmarks.peers;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.measure.WallClock;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;

/**
 * A node in a process of its own: says when it is ready, then the number of each event and when its handler was
 * entered. Ends with its standard input, so that it does not outlive who started it.
 */
public final class NodeMain {
    static final String READY = "ready";
    static final String HANDLED = "handled";

    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private NodeMain() {}

    /** What its handler does with an event it was given. */
    public enum Conduct {
        RETURNS,
        /** Until it is killed. */
        HANGS
    }

    /** The carrier's name, the conduct and the tuning. */
    public static void main(String[] arguments) throws Exception {
        Carrier carrier = Carriers.named(arguments[0]);
        Tuning tuning = Tuning.parse(arguments[2], arguments[3], arguments[4]);
        Receiver receiver = Conduct.valueOf(arguments[1]) == Conduct.HANGS ? NodeMain::hang : NodeMain::report;
        try (HikariDataSource pool = Database.inherited().pool(carrier.connections(tuning));
                Node node = carrier.delivering(pool, tuning, receiver)) {
            node.start();
            OUT.println(READY);
            while (System.in.read() >= 0) {
                // only its end matters
            }
        }
        System.exit(0);
    }

    private static void hang(String payload) {
        report(payload);
        while (true) {
            LockSupport.park();
        }
    }

    private static void report(String payload) {
        long now = WallClock.nanos();
        OUT.println(HANDLED + " " + Payloads.number(payload) + " " + now);
    }
}
