package io.postrider.first;

import io.postrider.Event;
import io.postrider.Postrider;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Takes orders: the row and the event commit together. */
final class Orders {
    record OrderPlaced(String order, long cents) {}

    private final DataSource dataSource;
    private final Postrider<Connection> postrider;

    Orders(DataSource dataSource, Postrider<Connection> postrider) {
        this.dataSource = dataSource;
        this.postrider = postrider;
    }

    void place(String order, String customer, long cents) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (var insert =
                    connection.prepareStatement("INSERT INTO orders (id, customer, cents) VALUES (?, ?, ?)")) {
                insert.setString(1, order);
                insert.setString(2, customer);
                insert.setLong(3, cents);
                insert.executeUpdate();
            }
            postrider
                    .outbox()
                    .append(
                            connection,
                            Event.of("order.placed", new OrderPlaced(order, cents))
                                    .key(customer));
            connection.commit();
        }
    }
}
