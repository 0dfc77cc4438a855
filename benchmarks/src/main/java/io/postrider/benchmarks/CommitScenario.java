package io.postrider.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import javax.sql.DataSource;

/** What an append costs the business transaction it joins, while nobody delivers. */
final class CommitScenario implements Scenario {
    private static final Target BY_PEER = Target.atLeast(1.0);
    private static final Target BY_BARE = Target.atLeast(0.6);
    private static final Target BY_INSERT = Target.atLeast(0.85);
    /** Until the code of every contender is compiled. */
    private static final int WARM_UPS = 5;

    private static final String UNIT = "commits/s";

    @Override
    public String name() {
        return "commit";
    }

    @Override
    public List<Result> run(Database database, Scale scale) throws Exception {
        List<Result> results = new ArrayList<>();
        for (int writers : scale.writers()) {
            BusinessRows.create(database, writers);
            PlainInsert.create(database);
            DbScheduler.create(database);
            try (HikariDataSource pool = database.pool(writers + 4);
                    Postrider<Connection> node = Postrider.on(PostgresStore.of(pool))) {
                results.addAll(compare(pool, node, scale, writers));
            }
        }
        return results;
    }

    private static List<Result> compare(DataSource pool, Postrider<Connection> node, Scale scale, int writers)
            throws Exception {
        Function<Committer, Contender> rounds = committer -> new CommitRound(committer, writers, scale.commitRound());
        Contender bare = rounds.apply(new RawCommitter("bare business transaction", pool, RawCommitter.NOTHING));
        Contender insert = rounds.apply(new RawCommitter(PlainInsert.LABEL, pool, PlainInsert::insert));
        Contender ours = rounds.apply(new RawCommitter(PostriderAppend.LABEL, pool, new PostriderAppend(node)));
        Contender scheduler =
                rounds.apply(new RawCommitter(DbSchedulerAppend.LABEL, pool, new DbSchedulerAppend(pool)));
        Contender gruelbox = rounds.apply(new GruelboxCommitter(pool));
        Rounds measured = Rounds.run(List.of(bare, insert, ours, scheduler, gruelbox), WARM_UPS, scale.commitRounds());
        Contender peer = measured.better(scheduler, gruelbox);
        String name = "commit, " + writers + (writers == 1 ? " writer: " : " writers: ");
        List<Result> results = new ArrayList<>(measured.told(name, UNIT));
        results.add(measured.compared(name + "postrider by the better peer", ours, peer, UNIT, BY_PEER));
        results.add(measured.compared(name + "postrider by the bare transaction", ours, bare, UNIT, BY_BARE));
        results.add(measured.compared(name + "postrider by the plain INSERT", ours, insert, UNIT, BY_INSERT));
        return results;
    }
}
