package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.measure.PlainInsert;
import io.postrider.benchmarks.peers.Carriers;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Plot;
import io.postrider.benchmarks.report.Result;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What delivering leaves in the database while some session holds an old snapshot, so that vacuum can remove nothing:
 * dead tuples, and WAL. Counted, not timed: from the first append to the last delivery.
 */
final class HeldScenario implements Scenario {
    private static final int FILL_BATCH = 1_000;

    @Override
    public String name() {
        return "held";
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        int events = scale.heldEvents();
        List<Result> results = new ArrayList<>();
        List<Plot.Bar> wal = new ArrayList<>();
        List<Plot.Bar> dead = new ArrayList<>();
        try (PostriderDrain ours = new PostriderDrain(database, events, Payloads::key);
                PeerDrains peers = PeerDrains.open(database, Carriers.PEERS, peer -> events)) {
            List<Drain> all = new ArrayList<>(List.of(ours));
            all.addAll(peers.drains());
            for (Drain drain : all) {
                Left left = carry(database, drain, events);
                String name = "held transaction: " + drain.label() + ": ";
                results.add(Result.told(name + "dead tuples", left.deadTuples(), "per event")
                        .how(drain.how()));
                results.add(Result.told(name + "WAL", left.walBytes(), "bytes per event"));
                wal.add(new Plot.Bar(drain.label(), left.walBytes()));
                dead.add(new Plot.Bar(drain.label(), left.deadTuples()));
            }
        }
        double floor = plainInsert(database, events);
        results.add(Result.told("held transaction: plain INSERT of the same bytes: WAL", floor, "bytes per event"));
        String title = String.format(Locale.ROOT, " per event while a transaction is held open, %,d events", events);
        return new Findings(
                results,
                List.of(
                        Plot.bars(
                                "wal",
                                "WAL bytes" + title,
                                "bytes per event",
                                wal,
                                new Plot.Bar("plain INSERT of the same bytes, which delivers nothing", floor)),
                        Plot.bars(
                                "dead-tuples",
                                "Dead tuples" + title,
                                "dead tuples per event",
                                dead,
                                new Plot.Bar("plain INSERT", 0))));
    }

    /** What a run left behind, per event. */
    private record Left(double deadTuples, double walBytes) {}

    private static Left carry(Database database, Drain drain, int events) throws Exception {
        database.settleDown();
        try (Connection holder = database.heldSnapshot()) {
            long before = database.walBytes();
            drain.fill();
            drain.drain(() -> {});
            double wal = database.walBytes() - before;
            double dead = database.deadTuples(drain.tables());
            holder.rollback();
            return new Left(dead / events, wal / events);
        }
    }

    private static double plainInsert(Database database, int events) throws SQLException {
        PlainInsert.create(database);
        database.settleDown();
        long before = database.walBytes();
        try (Connection connection = database.connection();
                PreparedStatement insert = connection.prepareStatement(PlainInsert.SQL)) {
            connection.setAutoCommit(false);
            for (int i = 0; i < events; i++) {
                PlainInsert.bind(insert, i, Payloads.get(i));
                insert.executeUpdate();
                if ((i + 1) % FILL_BATCH == 0) {
                    connection.commit();
                }
            }
            connection.commit();
        }
        return (database.walBytes() - before) / (double) events;
    }
}
