package io.postrider.chaos;

import java.time.Duration;

/** The primary gets SIGKILL under load, and its synchronous standby is promoted. */
final class Failover implements Scenario {

    @Override
    public String name() {
        return "failover";
    }

    @Override
    public String sentence() {
        return "The primary of two PostgreSQLs gets SIGKILL, its synchronous standby is promoted, and everybody is led"
                + " to it; whether a commit without an answer took place is what the promoted one says.";
    }

    @Override
    public Setup setup() {
        return Setup.PAIR;
    }

    @Override
    public Fault strike(Cluster cluster) throws Exception {
        ServerPair pair = cluster.postgres(ServerPair.class);
        Fault.require(pair.isSynchronous(), "no commit waited for the standby");
        Vitals before = Vitals.mark(cluster);
        long connections = pair.openConnections();
        Moment begin = Moment.now();
        pair.killPrimary();
        pair.promoteStandby();
        Duration away = begin.age();
        Fault fault = new Fault(Moment.now(), evidence(cluster, connections, away));
        Vitals after = Vitals.read(cluster);
        Fault.require(pair.isPrimaryGone(), "the first primary still answers");
        Fault.require(pair.isPromoted(), "the standby was not promoted");
        Fault.require(!after.samePostmaster(before), "everybody is still led to the first primary");
        Fault.require(!after.marked(), "the standby was a server of its own");
        Fault.require(connections > 0, "nobody was connected");
        return fault.promise(Promises::everythingIsSettled);
    }

    private static String evidence(Cluster cluster, long connections, Duration away) {
        return "standby took over within " + Fault.seconds(away) + ", " + connections + " connections ended, "
                + cluster.ledger().unknown().size() + " events without an answer";
    }
}
