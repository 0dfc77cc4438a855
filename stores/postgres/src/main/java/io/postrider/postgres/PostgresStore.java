package io.postrider.postgres;

import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.operate.Audit;
import io.postrider.operate.By;
import io.postrider.operate.DeadEvents;
import io.postrider.operate.Delivery;
import io.postrider.operate.Ledger;
import io.postrider.operate.Operate;
import io.postrider.operate.Operations;
import io.postrider.operate.Removal;
import io.postrider.operate.Search;
import io.postrider.policy.Start;
import io.postrider.store.Chunks;
import io.postrider.store.Cursor;
import io.postrider.store.Foresee;
import io.postrider.store.Ownership;
import io.postrider.store.Page;
import io.postrider.store.Park;
import io.postrider.store.Processed;
import io.postrider.store.Receive;
import io.postrider.store.Retain;
import io.postrider.store.Seals;
import io.postrider.store.SettleWithin;
import io.postrider.store.Settlement;
import io.postrider.store.Store;
import io.postrider.store.Tasks;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/**
 * A store on PostgreSQL 14 or newer. The transaction handle is the caller's own JDBC connection. Thread-safe.
 *
 * <p>It only composes one class per verb.
 */
public final class PostgresStore implements Store<Connection> {
    private final Jdbc jdbc;
    private final String log;
    private final PostgresAppend append;
    private final PostgresSubscriptions subscriptions;
    private final PostgresRenew renew;
    private final PostgresClaim claim;
    private final PostgresSettle settle;
    private final PostgresSettleWithin settleWithin;
    private final PostgresProcessed processed;
    private final PostgresReceive receive;
    private final PostgresWatch watch;
    private final PostgresPrune prune;
    private final PostgresBrowse browse;
    private final PostgresOperate operate;
    private final PostgresPark park;
    private final PostgresTasks tasks;
    private final PostgresAudit audit;
    private final PostgresOperations operations;
    private final PostgresChunks chunks;
    private final PostgresRetain retain;
    private final PostgresDeadEvents deadEvents;
    private final PostgresForesee foresee;
    private final PostgresSeals seals;
    private final PostgresSearch search;

    private PostgresStore(Jdbc jdbc, PostgresStoreConfig config) {
        this.jdbc = jdbc;
        this.log = config.log();
        append = new PostgresAppend(jdbc, config.segmentSize());
        renew = new PostgresRenew(jdbc);
        Layout layout = new Layout(jdbc);
        StableHorizon horizon = new StableHorizon(jdbc);
        claim = new PostgresClaim(jdbc, new PostgresRead(jdbc, layout, horizon));
        settle = new PostgresSettle(jdbc);
        settleWithin = new PostgresSettleWithin(settle);
        processed = new PostgresProcessed(jdbc);
        receive = new PostgresReceive(jdbc, append);
        watch = new PostgresWatch(jdbc, layout, horizon);
        subscriptions = new PostgresSubscriptions(jdbc, watch, layout);
        prune = new PostgresPrune(jdbc, layout, config.segmentSize());
        browse = new PostgresBrowse(jdbc);
        operate = new PostgresOperate(jdbc);
        park = new PostgresPark(jdbc);
        tasks = new PostgresTasks(jdbc);
        audit = new PostgresAudit(jdbc);
        operations = new PostgresOperations(jdbc);
        chunks = new PostgresChunks(jdbc);
        retain = new PostgresRetain(jdbc);
        deadEvents = new PostgresDeadEvents(jdbc);
        foresee = new PostgresForesee(jdbc);
        seals = new PostgresSeals(jdbc);
        search = new PostgresSearch(jdbc);
    }

    /** The store in schema {@code postrider}, which is created or brought up to date. Needs one connection. */
    public static PostgresStore of(DataSource dataSource) {
        return of(dataSource, PostgresStoreConfig.DEFAULT);
    }

    /**
     * The store as configured: {@link PostgresStoreConfig#migrate} says what happens to the schema, and
     * {@link PostgresStoreConfig#startWait} how long to wait for a PostgreSQL that does not answer.
     */
    public static PostgresStore of(DataSource dataSource, PostgresStoreConfig config) {
        Objects.requireNonNull(dataSource, "a PostgresStore takes its connections from a DataSource, got null");
        Jdbc jdbc = new Jdbc(dataSource, config.schema());
        new StoreStart(jdbc, config).run();
        return new PostgresStore(jdbc, config);
    }

    @Override
    public String log() {
        return log;
    }

    @Override
    public Park park() {
        return park;
    }

    @Override
    public Tasks tasks() {
        return tasks;
    }

    @Override
    public Operate operate() {
        return operate;
    }

    @Override
    public Audit audit() {
        return audit;
    }

    @Override
    public Operations operations() {
        return operations;
    }

    @Override
    public Chunks chunks() {
        return chunks;
    }

    @Override
    public Retain retain() {
        return retain;
    }

    @Override
    public DeadEvents deadEvents() {
        return deadEvents;
    }

    @Override
    public Seals seals() {
        return seals;
    }

    @Override
    public Foresee foresee() {
        return foresee;
    }

    @Override
    public Search search() {
        return search;
    }

    @Override
    public Set<Limitation> limitations() {
        return Set.of();
    }

    @Override
    public Processed<Connection> processed() {
        return processed;
    }

    @Override
    public Receive<Connection> receive() {
        return receive;
    }

    @Override
    public SettleWithin<Connection> settleWithin() {
        return settleWithin;
    }

    @Override
    public void append(Connection transaction, List<Entry> entries) {
        append.append(transaction, entries);
    }

    @Override
    public <R> R transact(Work<Connection, R> work) throws Exception {
        return new PostgresTransact(jdbc).transact(work);
    }

    @Override
    public Registered register(String subscription, Start start, String filter, String node) {
        return subscriptions.register(subscription, start, filter, node);
    }

    @Override
    public Optional<String> takeBack(String subscription, String filter, Duration unheld, String node) {
        return subscriptions.takeBack(subscription, filter, unheld, node);
    }

    @Override
    public Removed remove(String subscription, By by, Removal removal) {
        return subscriptions.remove(subscription, by, removal);
    }

    @Override
    public List<String> list() {
        return subscriptions.list();
    }

    @Override
    public Renewal renew(String node, Duration lease, Set<String> sharing, Map<String, String> filters) {
        return renew.renew(node, lease, sharing, filters);
    }

    @Override
    public boolean extend(String node, Duration lease) {
        return renew.extend(node, lease);
    }

    @Override
    public void leave(String node) {
        renew.leave(node);
    }

    @Override
    public List<ClaimedLane> claim(Claimant claimant, List<Lane> held, int most) {
        return claim.claim(claimant, held, most);
    }

    @Override
    public int release(List<Ownership> ownerships) {
        return claim.release(ownerships);
    }

    @Override
    public Page read(Ownership ownership, Cursor cursor, int maxEvents, long maxBytes) {
        return claim.read(ownership, cursor, maxEvents, maxBytes);
    }

    @Override
    public List<ClaimedDelivery> claim(Ownership ownership, List<Position> positions) {
        return claim.claim(ownership, positions);
    }

    @Override
    public boolean settle(Settlement settlement) {
        return settle.settle(settlement);
    }

    @Override
    public Cursor now() {
        return watch.now();
    }

    @Override
    public News watch(Cursor cursor) {
        return watch.watch(cursor);
    }

    @Override
    public Pruned prune(Duration retain) {
        return prune.prune(retain);
    }

    @Override
    public Ledger ledger(String subscription) {
        return browse.ledger(subscription);
    }

    @Override
    public Progress progress(String subscription) {
        return browse.progress(subscription);
    }

    @Override
    public List<OpenAppend> openAppends(int limit) {
        return browse.openAppends(limit);
    }

    @Override
    public Optional<Duration> openAppendAge() {
        return browse.openAppendAge();
    }

    @Override
    public List<Delivery> deliveries(String subscription, Delivery.Status status, Position after, int limit) {
        return browse.deliveries(subscription, status, after, limit);
    }
}
