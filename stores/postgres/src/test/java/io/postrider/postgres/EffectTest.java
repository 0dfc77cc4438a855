package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.EventContext;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.SubscriptionBuilder;
import io.postrider.operate.Counts;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What only a database does to a transaction: it refuses a commit, and it ends a session. */
class EffectTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final RetryPolicy QUICK = RetryPolicy.DEFAULT
            .pauses(Duration.ofMillis(5), Duration.ofMillis(5))
            .attempts(3);

    private final TestDatabase database = new TestDatabase();
    private final AtomicBoolean once = new AtomicBoolean(true);
    private PostgresStore store;
    private Postrider<Connection> postrider;

    @BeforeEach
    void open() throws SQLException {
        store = database.store();
        database.execute("CREATE TABLE {effect} (name text UNIQUE DEFERRABLE INITIALLY DEFERRED)");
        database.execute("INSERT INTO {effect} VALUES ('taken')");
        NodeLimits limits = NodeLimits.builder()
                .pollMin(Duration.ofMillis(2))
                .backoffMax(Duration.ofMillis(100))
                .build();
        postrider = Postrider.on(store, PostriderConfig.defaults().limits(limits));
    }

    @AfterEach
    void close() {
        postrider.close();
        database.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_event_whose_commit_is_refused_dies_alone(boolean within) throws Exception {
        send("a", "taken", "b", "c");
        start(within, (transaction, name, context) -> insert(transaction, name));
        assertCame(new Counts(3, 0, 0, 1, 0, 0));
        assertThat(database.number("SELECT count(*) FROM {effect}")).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_event_whose_handler_hides_an_error_dies_alone(boolean within) throws Exception {
        send("a", "hides", "b");
        start(within, (transaction, name, context) -> {
            insert(transaction, name);
            if (name.equals("hides")) {
                try (var statement = transaction.createStatement()) {
                    statement.execute("SELECT 1 / 0");
                } catch (SQLException e) {
                    // The transaction cannot be committed any more, and nobody is told.
                }
            }
        });
        assertCame(new Counts(2, 0, 0, 1, 0, 0));
        assertThat(database.number("SELECT count(*) FROM {effect}")).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_session_that_is_ended_undoes_its_effects_and_they_are_had_once(boolean within) throws Exception {
        send("a", "ended", "b");
        start(within, (transaction, name, context) -> {
            insert(transaction, name);
            if (name.equals("ended") && once.getAndSet(false)) {
                try (var statement = transaction.createStatement()) {
                    statement.execute("SELECT pg_terminate_backend(pg_backend_pid())");
                }
            }
        });
        assertCame(new Counts(3, 0, 0, 0, 0, 0));
        assertThat(database.number("SELECT count(*) FROM {effect}")).isEqualTo(4);
    }

    /** As a handler of the API, with the name of its effect. */
    private interface Effect {
        void of(Connection transaction, String name, EventContext context) throws SQLException;
    }

    private void start(boolean within, Effect effect) {
        SubscriptionBuilder<Connection> builder = postrider
                .subscribe("s")
                .onTransaction("**", String.class, effect::of)
                .retry(QUICK);
        (within ? builder.settleWithEffect() : builder).start();
    }

    private void insert(Connection transaction, String name) throws SQLException {
        try (var insert = transaction.prepareStatement("INSERT INTO " + database.schema() + ".effect VALUES (?)")) {
            insert.setString(1, name);
            insert.executeUpdate();
        }
    }

    /** One lane, so that they are in one transaction where that may be. */
    private void send(String... names) throws Exception {
        List<Event> events = Arrays.stream(names)
                .map(name -> Event.of("effect", name).key("ann"))
                .toList();
        postrider.transaction(transaction -> postrider.outbox().append(transaction, events));
    }

    private void assertCame(Counts counts) {
        Eventually.holds(PATIENCE, () -> {
            assertThat(store.browse().ledger("s").counts()).isEqualTo(counts);
            assertThat(store.browse().ledger("s").pending()).isZero();
        });
    }
}
