package io.postrider.postgres.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.EventContext;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.embedded.EmbeddedPostgresConfig;
import io.postrider.policy.NodeLimits;
import io.postrider.postgres.Eventually;
import io.postrider.postgres.PostgresStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * PostgreSQL crashes under load, again and again. Positions and transaction ids that were not yet durable are handed
 * out a second time, which is where a reader that trusts its memory loses events.
 */
class CrashTest {
    private static final int CRASHES = 4;
    private static final int WRITERS = 8;
    private static final Duration BETWEEN_CRASHES = Duration.ofSeconds(4);
    private static final Duration RECOVERY = Duration.ofSeconds(60);
    private static final List<String> KEYS = IntStream.range(0, 50)
            .mapToObj(number -> "key-%02d".formatted(number))
            .toList();

    @TempDir
    Path folder;

    private final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
    private final WriterLedger acknowledged = new WriterLedger();
    private EmbeddedPostgres server;

    @BeforeEach
    void startServer() {
        server = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(folder));
    }

    @AfterEach
    void stopServer() {
        server.stop();
    }

    @Test
    void what_survives_a_crash_of_postgresql_is_delivered_in_order_by_an_engine_that_recovers_by_itself()
            throws Exception {
        try (HikariDataSource pool = Database.of(server).pool(WRITERS + 8);
                Postrider<Connection> postrider = Postrider.on(PostgresStore.of(pool), config());
                Load load = new Load()) {
            KeyTable.create(pool, KEYS);
            postrider
                    .subscribe("crash")
                    .on(NumberedEvent.TYPE, NumberedEvent.Content.class, this::arrived)
                    .start();
            for (int i = 0; i < WRITERS; i++) {
                load.start(new CrashWriter(pool, new NumberedAppend(postrider.outbox()), KEYS, acknowledged, i));
            }
            for (int i = 0; i < CRASHES; i++) {
                awaitMoreArrivals();
                Load.pace(BETWEEN_CRASHES);
                crash();
            }
            awaitMoreArrivals();
            load.stop();
            judge(pool);
        }
    }

    private void crash() {
        int port = server.port();
        server.kill();
        server = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(folder).port(port));
    }

    private void judge(DataSource dataSource) throws SQLException {
        List<NumberedEvent> survivors = survivors(dataSource);
        Eventually.holds(
                RECOVERY,
                () -> assertThat(oracle(survivors).lost())
                        .as("surviving events that did not arrive")
                        .isEmpty());
        System.out.printf(
                "%d events survived %d crashes, %d of them acknowledged by a synchronous commit; %d arrivals in all%n",
                survivors.size(), CRASHES, acknowledged.events().size(), arrivals.size());
        assertThat(survivors.stream().map(NumberedEvent::id))
                .as("events that a synchronous commit had acknowledged")
                .containsAll(
                        acknowledged.events().stream().map(NumberedEvent::id).toList());
        assertThat(oracle(survivors).inversions())
                .as("inversions within a key, among what survived")
                .isEmpty();
    }

    private Oracle oracle(List<NumberedEvent> survivors) {
        return new Oracle(survivors, List.copyOf(arrivals));
    }

    private static List<NumberedEvent> survivors(DataSource dataSource) throws SQLException {
        List<NumberedEvent> survivors = new ArrayList<>();
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT id, key, (payload::json ->> 'sequence')::bigint FROM postrider.outbox")) {
            while (row.next()) {
                survivors.add(new NumberedEvent(row.getObject(1, UUID.class), row.getString(2), row.getLong(3)));
            }
        }
        return survivors;
    }

    private void arrived(NumberedEvent.Content content, EventContext context) {
        NumberedEvent event =
                new NumberedEvent(context.id().value(), context.key().orElseThrow(), content.sequence());
        arrivals.add(new Arrival(event, Instant.now()));
    }

    private void awaitMoreArrivals() {
        int before = arrivals.size();
        Eventually.holds(
                RECOVERY, () -> assertThat(arrivals.size()).as("arrivals").isGreaterThan(before + WRITERS));
    }

    private static PostriderConfig config() {
        NodeLimits limits = NodeLimits.builder().lease(Duration.ofSeconds(3)).build();
        return PostriderConfig.defaults().limits(limits);
    }
}
