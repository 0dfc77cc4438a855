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
    public Fault strike(Cluster cluster) throws Exception {
        Vitals before = Vitals.mark(cluster);
        Moment begin = Moment.now();
        cluster.postgres(Server.class).restart();
        Fault fault = Fault.over("down " + Fault.seconds(begin.age()));
        Vitals after = Vitals.read(cluster);
        Fault.require(!after.samePostmaster(before), "PostgreSQL was not restarted");
        Fault.require(after.marked(), "PostgreSQL did not stop in an orderly way");
        return fault;
    }
}
