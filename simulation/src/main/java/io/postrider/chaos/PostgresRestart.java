package io.postrider.chaos;

/** PostgreSQL is stopped and started again, as for an upgrade. */
final class PostgresRestart implements Scenario {

    @Override
    public String name() {
        return "postgres-restart";
    }

    @Override
    public String sentence() {
        return "PostgreSQL is stopped and started again, as for an upgrade.";
    }

    @Override
    public Moment strike(Cluster cluster) throws Exception {
        cluster.server().restart();
        return Moment.now();
    }
}
