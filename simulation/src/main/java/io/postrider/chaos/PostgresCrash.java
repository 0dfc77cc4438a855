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
    public Moment strike(Cluster cluster) throws Exception {
        cluster.server().crash();
        return Moment.now();
    }
}
