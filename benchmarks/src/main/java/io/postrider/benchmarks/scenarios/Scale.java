package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.peers.Carrier;
import io.postrider.benchmarks.peers.Carriers;
import io.postrider.benchmarks.peers.Peer;
import io.postrider.benchmarks.report.Result;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * How much a run measures.
 *
 * @param spring whether the peers on Spring take part where they need long
 * @param heldEvents events that each contender carries while a transaction is held open
 * @param slowEvents events for slow handlers, per node
 */
public record Scale(
        boolean spring,
        Drains drains,
        Commits commits,
        Paced paced,
        int heldEvents,
        int slowEvents,
        Growth growth,
        Browse browse,
        Brokers brokers) {

    /** Those that are compared in every scenario. */
    List<Peer> peers() {
        return Carriers.PEERS.stream()
                .filter(peer -> spring || !peer.usesSpring())
                .toList();
    }

    /** Ours first. */
    List<Carrier> carriers() {
        return Stream.concat(Stream.of(Carriers.POSTRIDER), peers().stream()).toList();
    }

    /** Who is left out, and why. */
    public List<Result> leftOut() {
        return Carriers.PEERS.stream()
                .filter(peer -> !peers().contains(peer))
                .map(peer -> Result.notMeasured(
                        "quick: " + peer.name(), "in drain, commit, paced, slow and recovery; a full run has it"))
                .toList();
    }

    /**
     * @param events the backlog Postrider drains, and the rows of the bare SELECT
     * @param peerEvents the backlog each peer drains; smaller, because a peer needs many times as long
     * @param springEvents the backlog of the peers on Spring, which need longest
     * @param rounds measured drains of each contender
     */
    record Drains(int events, int peerEvents, int springEvents, int rounds) {
        int of(Peer peer) {
            return peer.usesSpring() ? springEvents : peerEvents;
        }
    }

    /**
     * @param history events in the log that is browsed
     * @param asked how often each question is asked
     */
    record Browse(int history, int asked) {}

    /**
     * @param events the backlog that is drained to a broker
     * @param messages those that are received from a broker
     * @param rounds measured rounds of each contender
     */
    record Brokers(int events, int messages, int rounds) {}

    /** How long each paced run commits before it is measured, and while it is. */
    record Paced(Duration warmUp, Duration measured) {}

    /**
     * @param writers how many writers commit at once, one comparison for each number
     * @param rounds measured rounds of each variant: many and short, because what else the machine does comes and goes
     *     within seconds
     * @param round how long one of them takes
     */
    record Commits(List<Integer> writers, int rounds, Duration round) {
        Commits {
            writers = List.copyOf(writers);
        }
    }

    /**
     * What may not cost more as it grows.
     *
     * @param histories rows that lie behind the cursor, one log for each number
     * @param backlog events that are drained behind each history
     * @param peerHistories the same for the peer that keeps what it delivered
     * @param peerBacklog events that it drains behind each
     * @param subscriptions how many subscriptions drain the same log at once
     * @param subscribed events of that log
     * @param rounds measured drains by each number of subscriptions
     * @param historyRounds measured drains behind each history
     */
    record Growth(
            List<Integer> histories,
            int backlog,
            List<Integer> peerHistories,
            int peerBacklog,
            List<Integer> subscriptions,
            int subscribed,
            int rounds,
            int historyRounds) {
        Growth {
            histories = List.copyOf(histories);
            peerHistories = List.copyOf(peerHistories);
            subscriptions = List.copyOf(subscriptions);
        }
    }

    /** Ends within five minutes on two cores. */
    public static final Scale QUICK = new Scale(
            false,
            new Drains(200_000, 20_000, 3_000, 3),
            new Commits(List.of(16, 1), 13, Duration.ofMillis(250)),
            new Paced(Duration.ofSeconds(4), Duration.ofSeconds(5)),
            1_000,
            500,
            new Growth(
                    List.of(10_000, 100_000), 100_000, List.of(10_000, 100_000), 3_000, List.of(1, 8, 64), 5_000, 3, 7),
            new Browse(1_000_000, 100),
            new Brokers(50_000, 50_000, 3));

    /** Takes about half an hour. */
    public static final Scale FULL = new Scale(
            true,
            new Drains(1_000_000, 50_000, 10_000, 5),
            new Commits(List.of(16, 1, 64), 45, Duration.ofMillis(500)),
            new Paced(Duration.ofSeconds(5), Duration.ofSeconds(20)),
            20_000,
            4_000,
            new Growth(
                    List.of(10_000, 100_000, 1_000_000, 10_000_000),
                    300_000,
                    List.of(10_000, 100_000),
                    10_000,
                    List.of(1, 8, 64),
                    30_000,
                    3,
                    7),
            new Browse(10_000_000, 300),
            new Brokers(500_000, 200_000, 5));
}
