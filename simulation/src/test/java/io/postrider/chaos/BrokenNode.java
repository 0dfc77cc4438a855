package io.postrider.chaos;

import io.postrider.EventContext;
import io.postrider.Handler;
import io.postrider.Outbox;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A node that mistreats the events of {@link Cluster#SPARE_KEY}, each by its number, and no others. */
final class BrokenNode implements Handler<NumberedEvent.Content> {
    static final int DROPPED = 1;
    static final int TWICE = 2;
    static final int HELD_BACK = 3;
    static final int OVERTAKES = 4;
    static final int BRINGS_A_ROLLED_BACK_ONE = 5;
    static final int ENDS_THE_PROCESS = 6;

    private final Reporter reporter;
    private final KeyTable table;
    private final List<NumberedEvent> heldBack = new ArrayList<>();

    private BrokenNode(Reporter reporter, Outbox<Connection> outbox) {
        this.reporter = reporter;
        this.table = new KeyTable(outbox);
    }

    public static void main(String[] arguments) throws Exception {
        DeliveryNode.deliver(arguments, (reporter, postrider) -> new BrokenNode(reporter, postrider.outbox()));
    }

    @Override
    public void handle(NumberedEvent.Content content, EventContext context) throws Exception {
        String key = context.key().orElseThrow();
        NumberedEvent event = new NumberedEvent(context.id().value(), key, content.sequence());
        if (key.equals(Cluster.SPARE_KEY)) {
            mistreat(event);
        } else {
            reporter.report(event);
        }
    }

    private void mistreat(NumberedEvent event) throws IOException, SQLException {
        switch ((int) event.sequence()) {
            case DROPPED -> {}
            case TWICE -> reportAll(List.of(event, event));
            case HELD_BACK -> heldBack.add(event);
            case OVERTAKES -> {
                reporter.report(event);
                reportAll(heldBack);
            }
            case BRINGS_A_ROLLED_BACK_ONE -> reportAll(List.of(event, rolledBack()));
            case ENDS_THE_PROCESS -> Runtime.getRuntime().halt(1);
            default -> throw new IllegalArgumentException("no such mistreatment: " + event);
        }
    }

    private void reportAll(List<NumberedEvent> events) throws IOException {
        for (NumberedEvent event : events) {
            reporter.report(event);
        }
    }

    private NumberedEvent rolledBack() throws SQLException {
        try (Connection connection = Database.inherited().connect("broken")) {
            connection.setAutoCommit(false);
            NumberedEvent appended = table.append(connection, Cluster.SPARE_KEY);
            connection.rollback();
            return appended;
        }
    }
}
