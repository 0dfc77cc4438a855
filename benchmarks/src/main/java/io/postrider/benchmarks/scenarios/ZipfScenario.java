package io.postrider.benchmarks.scenarios;

import io.postrider.EventContext;
import io.postrider.benchmarks.measure.BareSelect;
import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.measure.Rounds;
import io.postrider.benchmarks.measure.Zipf;
import io.postrider.benchmarks.peers.Carriers;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Plot;
import io.postrider.benchmarks.report.Result;
import io.postrider.benchmarks.report.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongFunction;

/** A backlog whose most frequent key has a tenth of the events: whoever keeps order cannot spread them evenly. */
final class ZipfScenario implements Scenario {
    private static final long SEED = 7;
    private static final String UNIT = "events/s";
    private static final String NAME = "ordered keys by Zipf: ";
    /** Few: what matters here is the order. */
    private static final int ROUNDS = 2;

    private static final Target NONE = Target.atMost(0);

    @Override
    public String name() {
        return "zipf";
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        Scale.Drains sizes = scale.drains();
        List<Result> results = new ArrayList<>();
        LongAdder violations = new LongAdder();
        try (PostriderDrain ours = new PostriderDrain(database, sizes.events(), zipf());
                PeerDrain namastack =
                        new PeerDrain(database, Carriers.NAMASTACK, sizes.of(Carriers.NAMASTACK), zipf());
                BareSelect select = new BareSelect(database, BareSelect.LOG, sizes.events())) {
            ours.fill();
            Contender checked = new Checked(database, ours, violations);
            Contender peer = new DrainRound(database, namastack);
            Rounds rounds = Rounds.run(List.of(checked, peer, select), 1, ROUNDS);
            results.addAll(rounds.told(NAME, UNIT));
            results.add(Result.judged(NAME + "postrider: out of order within a key", violations.sum(), "events", NONE));
            Carriers.PEERS.stream()
                    .filter(other -> other != Carriers.NAMASTACK)
                    .forEach(other -> results.add(Result.cannot(NAME + other.name(), "it has no order by key")));
            return new Findings(results, List.of(plot(rounds, List.of(checked, peer), select)));
        }
    }

    private static Plot plot(Rounds rounds, List<Contender> bars, Contender select) {
        return Plot.bars(
                "zipf",
                "Drain in order, keys distributed by Zipf",
                UNIT,
                bars.stream()
                        .map(each -> new Plot.Bar(each.label(), rounds.rate(each)))
                        .toList(),
                new Plot.Bar("bare SELECT of the same rows", rounds.rate(select)));
    }

    private static LongFunction<String> zipf() {
        Zipf ranks = new Zipf(Payloads.KEYS, SEED);
        return number -> Payloads.key(ranks.draw());
    }

    /** Drains, and looks whether each key's positions come in order. */
    private record Checked(Database database, PostriderDrain drain, LongAdder violations) implements Contender {
        @Override
        public String label() {
            return drain.label();
        }

        @Override
        public String how() {
            return drain.how();
        }

        @Override
        public double round() throws Exception {
            database.settleDown();
            Map<String, Long> newest = new ConcurrentHashMap<>();
            return drain.drainWith(context -> check(newest, context));
        }

        private void check(Map<String, Long> newest, EventContext context) {
            long position = context.event().position().value();
            Long before = newest.put(context.key().orElseThrow(), position);
            if (before != null && before > position) {
                violations.increment();
            }
        }
    }
}
