package io.postrider.chaos;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.postgres.PostgresStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * What a scenario strikes at: PostgreSQL, nodes in processes of their own, perhaps with wires between, and the ledgers
 * of both ends. The writers reach PostgreSQL directly, so that the load goes on while the nodes are in trouble. Used by
 * one thread.
 */
final class Cluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    /** A key that no writer uses. */
    static final String SPARE_KEY = "spare";

    private final Setup setup;
    private final Path logs;
    private final Parts parts = new Parts();
    private final HarnessThreads threads = new HarnessThreads();
    private final WriterLedger ledger = new WriterLedger();
    private final List<NodeProcess> nodes = new ArrayList<>();
    private final List<Wire> wires = new ArrayList<>();
    private final Postgres postgres;
    private final Receiver receiver;
    private final HikariDataSource pool;
    private final KeyTable table;
    private int started;

    private Cluster(Setup setup, Path logs) throws Exception {
        this.setup = setup;
        this.logs = Files.createDirectories(logs);
        try {
            postgres = parts.opened(
                    setup.way() == Setup.Way.PAIR ? ServerPair.start(threads) : Server.start(setup.postgres()));
            receiver = parts.opened(Receiver.open(threads));
            pool = parts.opened(Load.pool(postgres.database()));
            Postrider<Connection> postrider = parts.opened(Postrider.on(PostgresStore.of(pool)));
            table = new KeyTable(postrider.outbox());
            KeyTable.create(
                    pool,
                    Stream.concat(Writer.KEYS.stream(), Stream.of(SPARE_KEY)).toList());
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    /** Returns once every node owns lanes; what the nodes log is left in the folder. */
    static Cluster start(Scenario scenario, Path logs) throws Exception {
        Cluster cluster = new Cluster(scenario.setup(), logs);
        try {
            scenario.prepare(cluster);
            cluster.startNodes();
            return cluster;
        } catch (Exception e) {
            cluster.close();
            throw e;
        }
    }

    private void startNodes() throws Exception {
        for (int i = 0; i < setup.nodes(); i++) {
            launch(setup.program());
        }
        for (NodeProcess node : nodes) {
            node.awaitReady();
        }
        awaitOwners();
    }

    private NodeProcess launch(List<String> program) throws IOException {
        Database database = postgres.database();
        if (setup.way() == Setup.Way.WIRES) {
            Wire wire = parts.opened(Wire.to(database.port(), threads));
            wires.add(wire);
            database = database.port(wire.port());
        }
        String name = Sessions.NODES + ++started;
        NodeProcess node = parts.opened(NodeProcess.start(name, command(program, name), database, logs));
        nodes.add(node);
        return node;
    }

    /** Main class, name, port of the receiver, and whatever else the program takes. */
    private List<String> command(List<String> program, String name) {
        List<String> command = new ArrayList<>(program);
        command.addAll(1, List.of(name, Integer.toString(receiver.port())));
        return command;
    }

    /** One more node; returns when its subscription runs. */
    NodeProcess startNode() throws IOException {
        return start(setup.program());
    }

    /** One more node, with options of its own. */
    NodeProcess startNode(NodeOptions options) throws IOException {
        return start(setup.options(options).program());
    }

    private NodeProcess start(List<String> program) throws IOException {
        NodeProcess node = launch(program);
        node.awaitReady();
        return node;
    }

    /** Returns when each node that is alive owns lanes. */
    void awaitOwners() throws Exception {
        try (Sessions sessions = sessions()) {
            Pause.require("the nodes' shares", PATIENCE, () -> sessions.owners() == living());
        }
    }

    private int living() {
        return alive().size();
    }

    /** Those that live, in the order in which they were started. */
    List<NodeProcess> alive() {
        return nodes.stream().filter(NodeProcess::alive).toList();
    }

    /** All nodes that were started, in that order. */
    List<NodeProcess> nodes() {
        return List.copyOf(nodes);
    }

    /** The wires of the nodes, in the order of the nodes. */
    List<Wire> wires() {
        return List.copyOf(wires);
    }

    /** What a count of the wires adds up to; none of them may be without. */
    long onEachWire(ToLongFunction<Wire> count) throws Unmeasured {
        long least = wires.stream().mapToLong(count).min().orElse(0);
        Fault.require(least > 0, "nothing happened on one of the wires");
        return wires.stream().mapToLong(count).sum();
    }

    /** Kills a node that owns lanes, and says how many. */
    int killOwner(NodeProcess node) throws Exception {
        try (Sessions sessions = sessions()) {
            int lanes = sessions.lanesOf(node);
            node.kill();
            Fault.require(lanes > 0, node.name() + " had no lane");
            Fault.require(node.endedBy(Signal.KILL), node.name() + " did not end by SIGKILL");
            return lanes;
        }
    }

    /** Throws if something broke that no scenario breaks: a thread of the harness, a node by itself, its reports. */
    void requireWhole() throws Unmeasured {
        threads.check();
        for (NodeProcess node : nodes) {
            if (node.endedByItself()) {
                throw new Unmeasured(node.name() + " ended by itself; its log says why");
            }
        }
        if (receiver.connected() < living()) {
            throw new Unmeasured(living() + " nodes live, and the receiver hears of " + receiver.connected());
        }
    }

    /** PostgreSQL, of the kind that the setup asks for. */
    <T extends Postgres> T postgres(Class<T> kind) {
        return kind.cast(postgres);
    }

    Sessions sessions() throws SQLException {
        return new Sessions(postgres.database());
    }

    /** An operator's way to the log, beside the pool of the writers. */
    Operator operator() {
        return Operator.at(postgres.database());
    }

    /** A session of PostgreSQL outside any pool. */
    Connection connect(String application) throws SQLException {
        return postgres.database().connect(application);
    }

    Receiver receiver() {
        return receiver;
    }

    WriterLedger ledger() {
        return ledger;
    }

    KeyTable table() {
        return table;
    }

    HikariDataSource pool() {
        return pool;
    }

    @Override
    public void close() {
        parts.close();
    }
}
