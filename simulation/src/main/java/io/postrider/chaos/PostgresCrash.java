package io.postrider.chaos;

/** The postmaster gets SIGKILL; PostgreSQL is started again and recovers from its WAL. */
final class PostgresCrash implements Scenario {
    @Override
    public String name() {
        return "postgres-crash";
    }

    @Override
    public String sentence() {
        return "The postmaster gets SIGKILL; PostgreSQL is started again and recovers from its WAL.";
    }

    @Override
    public Fault strike(Cluster cluster) throws Exception {
        Vitals before = Vitals.mark(cluster);
        Moment begin = Moment.now();
        cluster.postgres(Server.class).crash();
        Fault fault = Fault.over("down " + Fault.seconds(begin.age()) + ", recovered from its WAL");
        Vitals after = Vitals.read(cluster);
        Fault.require(!after.samePostmaster(before), "PostgreSQL was not started anew");
        Fault.require(!after.marked(), "PostgreSQL did not recover from a crash");
        return fault;
    }
}
