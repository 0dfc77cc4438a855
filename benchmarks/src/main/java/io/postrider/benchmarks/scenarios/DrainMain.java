package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.brokers.BrokerContender;
import io.postrider.benchmarks.measure.BareSelect;
import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.peers.Carriers;
import io.postrider.benchmarks.peers.Peer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * One contender in a process of its own: says what it is, then runs a round for each line it gets and tells its rate.
 * Ends with its standard input, so that it does not outlive who started it.
 */
final class DrainMain {
    static final String POSTRIDER = "postrider";
    static final String SELECT = "select";

    static final String LABEL = "label ";
    static final String HOW = "how ";
    static final String READY = "ready";
    static final String RATE = "rate ";
    static final String FAILED = "failed ";

    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private DrainMain() {}

    /** The contender's name, how many events it drains, and the broker's address if it has to do with one. */
    public static void main(String[] arguments) throws Exception {
        try {
            int events = Integer.parseInt(arguments[1]);
            Contender contender = arguments.length > 2
                    ? BrokerContender.valueOf(arguments[0]).open(Database.inherited(), events, arguments[2])
                    : contender(Database.inherited(), arguments[0], events);
            OUT.println(LABEL + contender.label());
            OUT.println(HOW + contender.how());
            OUT.println(READY);
            BufferedReader rounds = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while (rounds.readLine() != null) {
                OUT.println(RATE + contender.round());
            }
        } catch (Exception e) {
            OUT.println(FAILED + e);
            throw e;
        }
        System.exit(0);
    }

    private static Contender contender(Database database, String name, int events) throws Exception {
        if (name.equals(SELECT)) {
            return new BareSelect(database, BareSelect.LOG, events);
        }
        if (name.equals(POSTRIDER)) {
            PostriderDrain ours = new PostriderDrain(database, events, Payloads::key);
            ours.fill();
            return ours;
        }
        Peer peer = Carriers.peer(name);
        return new DrainRound(database, new PeerDrain(database, peer, events, Payloads::key));
    }
}
