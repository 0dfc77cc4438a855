package io.postrider.chaos;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;

/** Hands events to a {@link BrokenNode}, up to the one with this number. */
record Mistreatment(int events) implements Scenario {
    @Override
    public String name() {
        return "mistreatment-" + events;
    }

    @Override
    public String sentence() {
        return "A node mistreats " + events + " events.";
    }

    @Override
    public Setup setup() {
        return Setup.PLAIN.nodes(1).program(BrokenNode.class.getName());
    }

    @Override
    public Fault strike(Cluster cluster) throws Exception {
        List<NumberedEvent> appended = new ArrayList<>();
        try (Connection connection = cluster.connect("mistreatment")) {
            for (int i = 0; i < events; i++) {
                connection.setAutoCommit(false);
                appended.add(cluster.table().append(connection, Cluster.SPARE_KEY));
                connection.commit();
            }
        }
        cluster.ledger().committed(appended);
        return Fault.over(events + " events mistreated");
    }
}
