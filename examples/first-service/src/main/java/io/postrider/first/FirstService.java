package io.postrider.first;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/** The program of the guide: a pool, a table, a node, an order. */
final class FirstService {
    private FirstService() {}

    public static void main(String... arguments) throws Exception {
        HikariDataSource pool =
                pool(System.getenv("DATABASE_URL"), System.getenv("DATABASE_USER"), System.getenv("DATABASE_PASSWORD"));
        createOrders(pool);
        Postrider<Connection> postrider = Postrider.on(PostgresStore.of(pool));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            postrider.close();
            pool.close();
        }));
        Billing.start(postrider, (order, cents) -> System.out.println("charged " + cents + " for " + order));
        new Orders(pool, postrider).place(UUID.randomUUID().toString(), "ann", 1_000);
        new CountDownLatch(1).await();
    }

    static HikariDataSource pool(String url, String user, String password) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword(password);
        return new HikariDataSource(config);
    }

    static void createOrders(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY, customer text, cents bigint)");
        }
    }
}
