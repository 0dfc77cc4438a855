package io.postrider.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import javax.sql.DataSource;

/** What an append costs the business transaction it joins, while nobody delivers. */
final class CommitScenario implements Scenario {
    private static final Target BY_PEER = Target.atLeast(1.0);
    private static final Target BY_BARE = Target.atLeast(0.6);
    private static final Target BY_INSERT = Target.atLeast(0.85);
    /** Until the code of every contender is compiled. */
    private static final int WARM_UPS = 4;

    private static final String BARE = "bare business transaction";
    /** For the peers' own housekeeping. */
    private static final int CONNECTIONS_BESIDE = 8;

    private static final String UNIT = "commits/s";

    @Override
    public String name() {
        return "commit";
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        List<Result> results = new ArrayList<>();
        Map<String, Map<Integer, Double>> rates = new LinkedHashMap<>();
        for (int writers : scale.commits().writers()) {
            BusinessRows.create(database, writers);
            PlainInsert.create(database);
            DbScheduler.create(database);
            try (HikariDataSource pool = database.pool(writers + CONNECTIONS_BESIDE);
                    Postrider<Connection> node = Postrider.on(PostgresStore.of(pool));
                    NamastackCommitter namastack = new NamastackCommitter(pool);
                    ModulithCommitter modulith = new ModulithCommitter(pool)) {
                List<Committer> peers = List.of(
                        new RawCommitter(DbSchedulerAppend.LABEL, pool, new DbSchedulerAppend(pool)),
                        new GruelboxCommitter(pool),
                        namastack,
                        modulith);
                Compared compared = compare(pool, node, peers, scale.commits(), writers);
                results.addAll(compared.results());
                compared.rates()
                        .forEach((name, rate) -> rates.computeIfAbsent(name, any -> new TreeMap<>())
                                .put(writers, rate));
            }
        }
        return new Findings(results, List.of(plot(rates)));
    }

    /** What one number of writers gave. */
    private record Compared(List<Result> results, Map<String, Double> rates) {}

    private static Compared compare(
            DataSource pool, Postrider<Connection> node, List<Committer> others, Scale.Commits sizes, int writers)
            throws Exception {
        Function<Committer, Contender> round = committer -> new CommitRound(committer, writers, sizes.round());
        Contender bare = round.apply(new RawCommitter(BARE, pool, RawCommitter.NOTHING));
        Contender insert = round.apply(new RawCommitter(PlainInsert.LABEL, pool, PlainInsert::insert));
        Contender ours = round.apply(new RawCommitter(PostriderAppend.LABEL, pool, new PostriderAppend(node)));
        List<Contender> peers = others.stream().map(round).toList();
        List<Contender> all = new ArrayList<>(List.of(bare, insert, ours));
        all.addAll(peers);
        Rounds measured = Rounds.run(all, WARM_UPS, sizes.rounds());
        Contender peer = measured.best(peers);
        String name = "commit, " + writers + (writers == 1 ? " writer: " : " writers: ");
        List<Result> results = new ArrayList<>(measured.told(name, UNIT));
        results.add(measured.compared(name + "postrider by the better peer", ours, peer, UNIT, BY_PEER));
        results.add(measured.compared(name + "postrider by the bare transaction", ours, bare, UNIT, BY_BARE));
        results.add(measured.compared(name + "postrider by the plain INSERT", ours, insert, UNIT, BY_INSERT));
        Map<String, Double> rates = new LinkedHashMap<>();
        all.forEach(each -> rates.put(each.label(), measured.rate(each)));
        return new Compared(results, rates);
    }

    /** By the number of writers; what commits without an event is the limit. */
    private static Plot plot(Map<String, Map<Integer, Double>> rates) {
        List<Plot.Series> series = new ArrayList<>();
        rates.forEach((label, byWriters) -> series.add(
                new Plot.Series(Plot.shortName(label), List.copyOf(byWriters.values()), label.equals(BARE))));
        List<String> writers = rates.values().iterator().next().keySet().stream()
                .map(String::valueOf)
                .toList();
        return new Plot(
                "commit",
                Plot.Shape.LINES,
                "Business transactions with an event beside them",
                new Plot.Axes("writers", UNIT),
                writers,
                series);
    }
}
