package io.postrider.postgres;

import io.postrider.Transact;
import io.postrider.operate.Audit;
import io.postrider.operate.Browse;
import io.postrider.operate.DeadEvents;
import io.postrider.operate.Operate;
import io.postrider.operate.Operations;
import io.postrider.operate.Search;
import io.postrider.store.Append;
import io.postrider.store.Chunks;
import io.postrider.store.Claim;
import io.postrider.store.Foresee;
import io.postrider.store.Horizon;
import io.postrider.store.Join;
import io.postrider.store.Park;
import io.postrider.store.Processed;
import io.postrider.store.Prune;
import io.postrider.store.Receive;
import io.postrider.store.Renew;
import io.postrider.store.Retain;
import io.postrider.store.Seals;
import io.postrider.store.Settle;
import io.postrider.store.SettleWithin;
import io.postrider.store.Store;
import io.postrider.store.Subscriptions;
import io.postrider.store.Tasks;
import io.postrider.store.Watch;
import java.sql.Connection;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;

/**
 * A store on PostgreSQL 14 or newer. The transaction handle is the caller's own JDBC connection. Thread-safe.
 *
 * <p>It only composes one class per verb.
 */
public final class PostgresStore implements Store<Connection> {
    private final String log;
    private final LogLanes lanes;
    private final PostgresAppend append;
    private final PostgresTransact transact;
    private final PostgresJoin join;
    private final PostgresSubscriptions subscriptions;
    private final PostgresRenew renew;
    private final PostgresClaim claim;
    private final PostgresSettle settle;
    private final PostgresSettleWithin settleWithin;
    private final PostgresProcessed processed;
    private final PostgresReceive receive;
    private final PostgresWatch watch;
    private final PostgresHorizon stable;
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
        this.log = config.log();
        this.lanes = jdbc.lanes();
        transact = new PostgresTransact(jdbc);
        join = new PostgresJoin(jdbc);
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
        stable = new PostgresHorizon(jdbc, horizon);
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
        Jdbc jdbc = new Jdbc(dataSource, config.schema(), config.lanes());
        new StoreStart(jdbc, config).run();
        return new PostgresStore(jdbc, config);
    }

    @Override
    public String log() {
        return log;
    }

    @Override
    public int lanes() {
        return lanes.count();
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
    public Append<Connection> append() {
        return append;
    }

    @Override
    public Transact<Connection> transact() {
        return transact;
    }

    @Override
    public Horizon horizon() {
        return stable;
    }

    @Override
    public Join<Connection> join() {
        return join;
    }

    @Override
    public Subscriptions subscriptions() {
        return subscriptions;
    }

    @Override
    public Renew renew() {
        return renew;
    }

    @Override
    public Claim claim() {
        return claim;
    }

    @Override
    public Settle settle() {
        return settle;
    }

    @Override
    public Watch watch() {
        return watch;
    }

    @Override
    public Prune prune() {
        return prune;
    }

    @Override
    public Browse browse() {
        return browse;
    }
}
