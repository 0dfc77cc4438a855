package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.StoredEvent;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Removal;
import io.postrider.policy.Start;
import io.postrider.store.Append;
import io.postrider.store.Claim;
import io.postrider.store.Park;
import io.postrider.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What the suites share: a fresh store for each test, and words for what tests do with it. Most tests wait for
 * something, none shares anything with another: they run side by side where JUnit is told to.
 *
 * @param <T> the store's transaction handle
 */
@ExtendWith(Refusals.class)
@Execution(ExecutionMode.CONCURRENT)
public abstract class StoreCase<T> {
    static final String SUBSCRIPTION = "letters";
    static final String FILTER = "**";
    static final String NODE = "node-1";
    static final String OTHER_NODE = "node-2";
    static final String TYPE = "letter.sent";
    static final By BY = new By("ops", "the suite wants it");
    /** Longer than any test. */
    static final Duration LONG_LEASE = Duration.ofHours(1);
    /** Over as soon as anyone looks. */
    static final Duration SHORT_LEASE = Duration.ofMillis(1);

    StoreFixture<T> fixture;
    Store<T> store;

    /** A new fixture; the suite opens, uses and closes it. */
    protected abstract StoreFixture<T> fixture();

    @BeforeEach
    final void open() {
        fixture = fixture();
        store = fixture.open();
    }

    @AfterEach
    final void close() {
        release();
        fixture.close();
    }

    /** Ends what a test has started, before its store goes. */
    void release() {}

    final boolean declares(Store.Limitation limitation) {
        return store.limitations().contains(limitation);
    }

    /** That the store refuses what a suite tests which is {@link RefusedWith} this limitation. */
    void assertRefused(Store.Limitation limitation) throws Exception {
        throw new AssertionError(getClass() + " does not say how a store with " + limitation + " refuses");
    }

    /** That a port throws, whoever calls it. */
    static void assertUnsupported(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(UnsupportedOperationException.class);
    }

    /** Removes a subscription with whatever it has; false if there was none. */
    final boolean remove(String subscription) {
        return store.operate().remove(subscription, BY, Removal.DROPPING).done();
    }

    final Eventually eventually() {
        return new Eventually(fixture.patience());
    }

    // ---- append -----------------------------------------------------------------------------------------------------

    static Append.Entry entry(String key, String text) {
        return new Append.Entry(drawId(), TYPE, key, "\"" + text + "\"", Headers.NONE, null);
    }

    static EventId drawId() {
        return new EventId(UUID.randomUUID());
    }

    /** Appends in an open transaction. */
    final void append(T transaction, String key, String... texts) {
        store.append()
                .append(
                        transaction,
                        Arrays.stream(texts).map(text -> entry(key, text)).toList());
    }

    /** Appends in a transaction of its own. */
    final void committed(String key, String... texts) {
        T transaction = fixture.begin();
        append(transaction, key, texts);
        fixture.commit(transaction);
    }

    static String[] numbered(String prefix, int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(number -> prefix + number)
                .toArray(String[]::new);
    }

    /** Keys that share the lane of this one, itself the first. */
    static List<String> keysBeside(String key, int count) {
        Lane lane = Lane.of(key, drawId(), Lane.COUNT_DEFAULT);
        Stream<String> others = IntStream.range(0, Integer.MAX_VALUE)
                .mapToObj(number -> key + "-" + number)
                .filter(other -> Lane.of(other, drawId(), Lane.COUNT_DEFAULT).equals(lane));
        return Stream.concat(Stream.of(key), others).limit(count).toList();
    }

    /** A key of another lane. */
    static String keyApartFrom(String key) {
        Lane lane = Lane.of(key, drawId(), Lane.COUNT_DEFAULT);
        return IntStream.range(0, Integer.MAX_VALUE)
                .mapToObj(number -> "apart-" + number)
                .filter(other -> !Lane.of(other, drawId(), Lane.COUNT_DEFAULT).equals(lane))
                .findFirst()
                .orElseThrow();
    }

    // ---- claim ------------------------------------------------------------------------------------------------------

    final void register() {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), FILTER);
    }

    final void renew(String node, Duration lease) {
        store.renew().renew(node, lease, Set.of(SUBSCRIPTION));
    }

    /** As a node claims that has to know dead rows too. */
    static Claim.Claimant claimant(String node, String subscription, String filter) {
        return new Claim.Claimant(node, subscription, filter, Park.View.of(Park.Wanted.WAITING_AND_DEAD));
    }

    /** The rows that a lane's owner holds. */
    final List<Delivery> rowsOf(LaneReader reader, Park.Wanted wanted) {
        return store.park().window(reader.ownership(), Park.View.of(wanted)).rows();
    }

    final List<Claim.ClaimedLane> claim(String node, int most) {
        return store.claim().claim(claimant(node, SUBSCRIPTION, FILTER), List.of(), most);
    }

    /** A node with a long lease takes all lanes of a subscription that are free. */
    final List<LaneReader> readers(String node, String subscription) {
        store.renew().renew(node, LONG_LEASE, Set.of(subscription));
        List<Claim.ClaimedLane> claimed =
                store.claim().claim(claimant(node, subscription, FILTER), List.of(), Lane.COUNT_DEFAULT);
        assertThat(claimed).hasSize(Lane.COUNT_DEFAULT);
        return claimed.stream().map(lane -> new LaneReader(store, lane)).toList();
    }

    /** The lane of a key, taken with all others by {@link #NODE}, of a subscription that begins with the log. */
    final LaneReader reader(String key) {
        return reader(SUBSCRIPTION, Start.beginning(), key);
    }

    final LaneReader reader(String subscription, Start start, String key) {
        store.subscriptions().register(subscription, start, FILTER);
        return of(key, readers(NODE, subscription));
    }

    static LaneReader of(String key, List<LaneReader> readers) {
        Lane lane = Lane.of(key, drawId(), Lane.COUNT_DEFAULT);
        return readers.stream()
                .filter(reader -> reader.lane().equals(lane))
                .findFirst()
                .orElseThrow(() -> new AssertionError("lane " + lane + " was not claimed"));
    }

    /** The lane of a key once its holder's lease has run out. */
    final LaneReader takeOver(String node, Duration lease, String key) {
        Claim.ClaimedLane taken = eventually().gives(() -> {
            renew(node, LONG_LEASE);
            Lane lane = Lane.of(key, drawId(), Lane.COUNT_DEFAULT);
            return claim(node, Lane.COUNT_DEFAULT).stream()
                    .filter(claimed -> claimed.ownership().lane().equals(lane))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("lane " + lane + " is not free"));
        });
        renew(node, lease);
        return new LaneReader(store, taken);
    }

    // ---- deliveries -------------------------------------------------------------------------------------------------

    static Delivery parked(StoredEvent event) {
        return Delivery.parked(event, someTime(), false);
    }

    static Delivery dead(StoredEvent event) {
        return parked(event).dead(1, "broken");
    }

    /** Whole milliseconds, which every store keeps. */
    static Instant someTime() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }
}
