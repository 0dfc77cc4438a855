package io.postrider.benchmarks.scenarios;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.benchmarks.measure.BusinessRows;
import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.PlainInsert;
import io.postrider.benchmarks.measure.Rounds;
import io.postrider.benchmarks.peers.Carrier;
import io.postrider.benchmarks.peers.Node;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Plot;
import io.postrider.benchmarks.report.Result;
import io.postrider.benchmarks.report.Target;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.SQLException;
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
    private static final Target WITH_COMMIT_BY_BARE = Target.atLeast(0.72);
    /** Nobody waits behind one writer, so a round trip that is saved is saved whole. */
    private static final Target WITH_COMMIT_BY_BARE_ALONE = Target.atLeast(0.82);
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
            database.clear();
            BusinessRows.create(database, writers);
            PlainInsert.create(database);
            try (HikariDataSource pool = database.pool(writers + CONNECTIONS_BESIDE);
                    Stores stores = Stores.open(database, pool, scale.carriers());
                    Postrider<Connection> withCommit = Postrider.on(PostgresStore.of(pool))) {
                Compared compared =
                        compare(pool, Committer.withCommit(withCommit), stores.committers(), scale.commits(), writers);
                results.addAll(compared.results());
                compared.rates()
                        .forEach((name, rate) -> rates.computeIfAbsent(name, any -> new TreeMap<>())
                                .put(writers, rate));
            }
        }
        return new Findings(results, List.of(plot(rates)));
    }

    /** A node of each carrier that stores only; ours first. */
    private record Stores(Map<Carrier, Node> nodes) implements AutoCloseable {
        static Stores open(Database database, DataSource pool, List<Carrier> carriers) throws SQLException {
            Map<Carrier, Node> nodes = new LinkedHashMap<>();
            for (Carrier carrier : carriers) {
                carrier.prepare(database);
                nodes.put(carrier, carrier.storing(pool));
            }
            return new Stores(nodes);
        }

        List<Committer> committers() {
            return nodes.entrySet().stream()
                    .map(each -> Committer.of(each.getKey(), each.getValue()))
                    .toList();
        }

        @Override
        public void close() {
            nodes.values().forEach(Node::close);
        }
    }

    /** What one number of writers gave. */
    private record Compared(List<Result> results, Map<String, Double> rates) {}

    private static Compared compare(
            DataSource pool, Committer oneTrip, List<Committer> carriers, Scale.Commits sizes, int writers)
            throws Exception {
        Function<Committer, Contender> round = committer -> new CommitRound(committer, writers, sizes.round());
        Contender bare = round.apply(Committer.raw(BARE, pool, (transaction, writer, payload) -> {}));
        Contender insert = round.apply(Committer.raw(PlainInsert.LABEL, pool, PlainInsert::insert));
        Contender withCommit = round.apply(oneTrip);
        Contender limit = round.apply(Committer.raw(PlainInsert.WITH_COMMIT_LABEL, pool, PlainInsert::insertAndCommit));
        List<Contender> appending = carriers.stream().map(round).toList();
        Contender ours = appending.get(0);
        List<Contender> peers = appending.subList(1, appending.size());
        List<Contender> all = new ArrayList<>(List.of(bare, insert, limit, withCommit));
        all.addAll(appending);
        Rounds measured = Rounds.run(all, WARM_UPS, sizes.rounds());
        Contender peer = measured.best(peers);
        String name = "commit, " + writers + (writers == 1 ? " writer: " : " writers: ");
        List<Result> results = new ArrayList<>(measured.told(name, UNIT));
        results.add(measured.compared(name + "postrider by the better peer", ours, peer, UNIT, BY_PEER));
        results.add(measured.compared(name + "postrider by the bare transaction", ours, bare, UNIT, BY_BARE));
        results.add(measured.compared(name + "postrider by the plain INSERT", ours, insert, UNIT, BY_INSERT));
        Target alone = writers == 1 ? WITH_COMMIT_BY_BARE_ALONE : WITH_COMMIT_BY_BARE;
        results.add(measured.compared(
                name + "postrider with the commit by the bare transaction", withCommit, bare, UNIT, alone));
        results.add(measured.compared(
                name + "postrider with the commit by the plain INSERT with it", withCommit, limit, UNIT, BY_INSERT));
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
