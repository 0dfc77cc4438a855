package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;

/**
 * Drains the same backlog in every round; only the drain is measured. It is stored once by the peer itself, kept aside,
 * and put back from there: that is many times as fast.
 */
final class DrainRound implements Contender {
    private final Database database;
    private final Drain drain;
    private boolean kept;

    DrainRound(Database database, Drain drain) {
        this.database = database;
        this.drain = drain;
    }

    @Override
    public String label() {
        return drain.label();
    }

    @Override
    public String how() {
        return drain.how();
    }

    @Override
    public double round() throws Exception {
        fill();
        database.settleDown();
        return drain.drain(() -> {});
    }

    private void fill() throws Exception {
        String table = drain.backlog();
        String aside = table + "_kept";
        if (kept) {
            database.execute("TRUNCATE " + table, "INSERT INTO " + table + " SELECT * FROM " + aside);
        } else {
            drain.fill();
            database.execute("CREATE TABLE " + aside + " AS SELECT * FROM " + table);
            kept = true;
        }
    }
}
