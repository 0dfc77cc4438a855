package io.postrider.benchmarks.scenarios;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.benchmarks.measure.Backlog;
import io.postrider.benchmarks.measure.BareSelect;
import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.measure.PostriderRun;
import io.postrider.benchmarks.measure.Rounds;
import io.postrider.benchmarks.peers.Carriers;
import io.postrider.benchmarks.peers.Peer;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Plot;
import io.postrider.benchmarks.report.Result;
import io.postrider.operate.By;
import io.postrider.operate.Removal;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Whether many subscriptions of one log cost more than their own deliveries. */
final class SubscriptionsScenario implements Scenario {
    private static final String UNIT = "deliveries/s";

    @Override
    public String name() {
        return "subscriptions";
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        Scale.Growth sizes = scale.growth();
        try (HikariDataSource pool = database.pool(PostriderDrain.CONNECTIONS);
                BareSelect select = new BareSelect(database, BareSelect.LOG, sizes.subscribed())) {
            PostgresStore store = PostgresStore.of(pool);
            PostriderRun.fill(store, sizes.subscribed(), Payloads::key);
            List<Subscribed> drains = sizes.subscriptions().stream()
                    .map(number -> new Subscribed(database, store, number, sizes.subscribed()))
                    .toList();
            Growth growth = Growth.of(drains, drain -> String.valueOf(drain.number()), select);
            Rounds rounds = growth.run(1, sizes.rounds());
            List<Result> results = new ArrayList<>(rounds.told("subscriptions: ", UNIT));
            for (Peer peer : Carriers.PEERS) {
                results.add(Result.cannot("subscriptions: " + peer.name(), peer.severalHandlers()));
            }
            Plot.Axes axes = new Plot.Axes("subscriptions", UNIT);
            String title = "One log, drained by several subscriptions of one node";
            return new Findings(results, List.of(growth.plot("subscriptions", title, axes, rounds)));
        }
    }

    /** So many new subscriptions that all drain the log; the rate counts every delivery. */
    private record Subscribed(Database database, PostgresStore store, int number, int events) implements Contender {
        @Override
        public String label() {
            return String.format(
                    Locale.ROOT, "postrider, %,d events to each of %d subscriptions, one node", events, number);
        }

        @Override
        public double round() throws Exception {
            database.settleDown();
            Backlog backlog = new Backlog(events * number);
            List<String> names = new ArrayList<>();
            try (Postrider<Connection> node = Postrider.on(store)) {
                long begin = System.nanoTime();
                for (int i = 0; i < number; i++) {
                    names.add("one-of-" + number + "-" + i);
                    node.subscribe(names.get(i))
                            .on(Payloads.TYPE, (payload, context) -> backlog.handled())
                            .start();
                }
                backlog.await();
                for (String name : names) {
                    PostriderRun.awaitSettled(store, name, events);
                }
                return backlog.rateSince(begin);
            } finally {
                names.forEach(name ->
                        store.operate().remove(name, new By("benchmark", "the round is over"), Removal.DROPPING));
            }
        }
    }
}
