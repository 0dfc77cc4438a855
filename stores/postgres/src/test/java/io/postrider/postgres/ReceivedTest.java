package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Inbox;
import io.postrider.Postrider;
import io.postrider.destination.Placed;
import io.postrider.store.Append;
import io.postrider.store.StoreException;
import io.postrider.wire.Incoming;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is particular to receiving in PostgreSQL: where records lie, how they go, and two logs in one database. */
class ReceivedTest {
    private static final Duration WEEK = Duration.ofDays(7);

    private final TestDatabase database = new TestDatabase();
    private final Random random = new Random(1);
    private PostgresStore store;

    @BeforeEach
    void open() {
        store = database.store();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void records_of_old_messages_go_by_the_day_and_leave_nothing_to_vacuum() throws Exception {
        Instant now = Instant.now();
        for (int day = 0; day <= 9; day++) {
            receivedAt(now.minus(Duration.ofDays(day)));
        }
        assertThat(store.receive().forget(WEEK)).isTrue();
        assertThat(database.number("SELECT count(*) FROM {received}")).isEqualTo(7);
        int bucket = BucketRing.bucket(EventId.draw(now.minus(Duration.ofDays(9)), random));
        assertThat(database.number("SELECT pg_relation_size('{received_" + bucket + "}')"))
                .isZero();
    }

    @Test
    void a_message_without_an_id_lies_in_the_bucket_of_the_time_its_broker_stored_it() throws Exception {
        Instant stored = Instant.now().minus(Duration.ofDays(3));
        Event event = new Incoming("stream:17", Event.of("t", 1), stored).from("orders");
        receive(new Append.Entry(Objects.requireNonNull(event.id()), "t", null, "1", Headers.NONE, null));
        int bucket = BucketRing.bucket(EventId.draw(stored, random));
        assertThat(database.number("SELECT count(*) FROM {received_" + bucket + "}"))
                .isEqualTo(1);
    }

    @Test
    void many_counts_of_repeats_become_one() throws Exception {
        Append.Entry entry = entry(EventId.draw(Instant.now(), random));
        for (int time = 0; time <= 150; time++) {
            receive(entry);
        }
        assertThat(database.number("SELECT count(*) FROM {received_again}")).isEqualTo(150);
        store.receive().forget(WEEK);
        assertThat(database.number("SELECT count(*) FROM {received_again}")).isEqualTo(1);
        assertThat(store.receive().repeated("orders")).isEqualTo(150);
    }

    @Test
    void a_handler_of_the_inbox_appends_to_the_outbox_in_its_own_transaction() throws Exception {
        String schema = database.schema() + "_inbox";
        PostgresStore second =
                PostgresStore.of(database.dataSource(), database.config().schema(schema));
        try (Postrider<Connection> outbox = Postrider.on(store);
                Postrider<Connection> inbox = Postrider.on(second)) {
            CompletableFuture<String> sent = new CompletableFuture<>();
            outbox.subscribe("parcels")
                    .on(
                            "parcel.sent",
                            (payload, context) -> sent.complete(
                                    payload + " " + context.correlationId().orElse("")))
                    .start();
            inbox.subscribe("orders")
                    .onTransaction(
                            "order.placed",
                            Integer.class,
                            (connection, number, context) ->
                                    outbox.outbox().append(connection, Event.of("parcel.sent", number + 1)))
                    .start();
            Event order = Event.of("order.placed", 17).correlationId("c-1");
            inbox.inbox().receive("shop", List.of(new Incoming("order-17", order), new Incoming("order-17", order)));
            assertThat(sent.get(60, TimeUnit.SECONDS)).isEqualTo("18 c-1");
        } finally {
            database.execute("DROP SCHEMA " + schema + " CASCADE");
        }
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"23514", "23505", "23503", "2200H", "53100", "XX000"})
    void a_log_that_fails_refuses_no_message(String state) throws Exception {
        database.execute("""
                CREATE FUNCTION {broken}() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN RAISE EXCEPTION ''the log is broken'' USING ERRCODE = ''%s''; END'
                """.formatted(state));
        database.execute("CREATE TRIGGER broken BEFORE INSERT ON {event_log} FOR EACH ROW EXECUTE FUNCTION {broken}()");
        try (Postrider<Connection> inbox = Postrider.on(store)) {
            List<Incoming> messages =
                    List.of(new Incoming("17", Event.of("t", 1)), new Incoming("18", Event.of("t", 2)));
            assertThatThrownBy(() -> inbox.inbox().receive("orders", messages)).isInstanceOf(StoreException.class);
            database.execute("DROP TRIGGER broken ON {event_log}");
            assertThat(inbox.inbox().receive("orders", messages).stored()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @CsvSource({"P0001, ''", "54000, ''", "22023, ''", "P0001, deferred", "44000, deferred", "23503, deferred"})
    void a_trigger_that_refuses_one_message_stops_no_other(String state, String when) throws Exception {
        database.execute("""
                CREATE FUNCTION {refuse}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    IF NEW.type = 'bad' THEN RAISE EXCEPTION 'not this one' USING ERRCODE = '%s'; END IF;
                    RETURN NULL;
                END $$;
                CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON {event_log} %s FOR EACH ROW
                    EXECUTE FUNCTION {refuse}()
                """.formatted(state, when.isEmpty() ? "" : "DEFERRABLE INITIALLY DEFERRED"));
        try (Postrider<Connection> inbox = Postrider.on(store)) {
            Incoming bad = new Incoming("18", Event.of("bad", 2));
            Inbox.Received received = inbox.inbox()
                    .receive(
                            "orders",
                            List.of(
                                    new Incoming("17", Event.of("t", 1)),
                                    bad,
                                    new Incoming("19", Event.of("t", 3)),
                                    new Incoming("20", Event.of("t", 4))));
            assertThat(received.stored()).isEqualTo(3);
            assertThat(received.refused()).singleElement().satisfies(refused -> {
                assertThat(refused.message()).isSameAs(bad);
                assertThat(refused.why()).contains("not this one");
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"40001", "40P01", "53100"})
    void a_commit_that_fails_for_no_data_refuses_no_message(String state) throws Exception {
        database.execute("""
                CREATE FUNCTION {broken}() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN RAISE EXCEPTION ''not now'' USING ERRCODE = ''%s''; END';
                CREATE CONSTRAINT TRIGGER broken AFTER INSERT ON {event_log} DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION {broken}()
                """.formatted(state));
        try (Postrider<Connection> inbox = Postrider.on(store)) {
            List<Incoming> messages = List.of(new Incoming("17", Event.of("t", 1)));
            assertThatThrownBy(() -> inbox.inbox().receive("orders", messages)).isInstanceOf(StoreException.class);
        }
    }

    @Test
    void a_log_without_a_segment_refuses_no_message() throws Exception {
        database.execute("""
                DO $$ DECLARE segment regclass; BEGIN
                    FOR segment IN SELECT inhrelid FROM pg_inherits WHERE inhparent = '{event_log}'::regclass LOOP
                        EXECUTE format('DROP TABLE %s', segment);
                    END LOOP;
                END $$
                """);
        try (Postrider<Connection> inbox = Postrider.on(store)) {
            List<Incoming> messages = List.of(new Incoming("17", Event.of("t", 1)));
            assertThatThrownBy(() -> inbox.inbox().receive("orders", messages))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("no partition");
        }
    }

    @Test
    void of_the_places_of_a_reader_one_is_left() throws Exception {
        for (int number = 1; number <= 50; number++) {
            Placed.Place place = new Placed.Place(0, number, Instant.ofEpochSecond(number));
            store.transact().transact(connection -> {
                store.receive().place(connection, "orders", place);
                return true;
            });
        }
        store.receive().forget(WEEK);
        assertThat(database.number("SELECT count(*) FROM {source_place}")).isEqualTo(1);
        assertThat(store.receive().newest("orders")).contains(new Placed.Place(0, 50, Instant.ofEpochSecond(50)));
    }

    private void receivedAt(Instant time) throws Exception {
        EventId id = EventId.draw(time, random);
        receive(entry(id));
        database.execute("UPDATE {received} SET at = at - interval '"
                + Duration.between(time, Instant.now()).toSeconds() + " seconds' WHERE event = '" + id + "'");
    }

    private static Append.Entry entry(EventId id) {
        return new Append.Entry(id, "t", "k", "1", Headers.NONE, null);
    }

    private void receive(Append.Entry entry) throws Exception {
        store.transact().transact(connection -> store.receive().receive(connection, "orders", List.of(entry)));
    }
}
