package io.postrider.simulation;

import io.postrider.policy.AfterDead;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** One pass over a seed's random numbers: what every plan is made of. {@link DrawThemes} adds what only some have. */
final class Draw {
    private static final int APPENDS_MAX = 40;
    private static final int FAULTS_MAX = 9;
    /** Of so many seeds in a row, one; not drawn, so that the others stay what they were. */
    private static final int EFFECTS_EVERY = 5;

    private static final int LOSSES_EVERY = 3;
    /** Half of those: what came through one loss is there for the next. */
    private static final int LOSSES_IN_A_ROW_EVERY = 6;

    private static final String[] TYPES = {"parcel.sent", "parcel.sent", "parcel.sent", "letter.sent"};

    private final long seed;
    private final SplittableRandom random;
    private final List<Action> actions = new ArrayList<>();
    private final Map<String, Duration> busyUntil = new HashMap<>();
    private final int nodes;
    private final int keys;
    /** Some seeds have hardly any failing handlers, so that others faults are seen alone. */
    private final double trouble;

    Draw(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.nodes = random.nextInt(1, 4);
        this.keys = random.nextInt(1, 7);
        this.trouble = random.nextInt(3) == 0 ? 0 : random.nextDouble() * 0.3;
    }

    Plan plan() {
        AfterDead afterDead = random.nextInt(4) == 0 ? AfterDead.STAY_BLOCKED : AfterDead.GO_ON;
        List<Duration> appends = random.ints(random.nextInt(2, APPENDS_MAX), 0, (int) Plan.LENGTH.toMillis())
                .sorted()
                .mapToObj(Duration::ofMillis)
                .toList();
        appends.forEach(this::append);
        int faults = random.nextInt(FAULTS_MAX + 1);
        for (int fault = 0; fault < faults; fault++) {
            fault();
        }
        if (Math.floorMod(seed, LOSSES_IN_A_ROW_EVERY) == 1) {
            lossesInARow();
        }
        actions.sort(Comparator.comparing(Action::at));
        return new Plan(seed, nodes, afterDead, Math.floorMod(seed, EFFECTS_EVERY) == 1, loses(), Set.of(), actions);
    }

    private int loses() {
        return Math.floorMod(seed, LOSSES_EVERY) == 1 ? (int) Math.floorMod(seed / LOSSES_EVERY, 7L) + 1 : 0;
    }

    /** Whoever appends to a key has it for itself, as writers have who change the same row before they append. */
    private void append(Duration at) {
        List<Action.Item> items = new ArrayList<>();
        Duration hold = random.nextInt(4) == 0 ? upTo(4_000) : upTo(40);
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            String key = "k" + random.nextInt(keys);
            if (busyUntil.getOrDefault(key, Duration.ZERO).compareTo(at) <= 0) {
                items.add(new Action.Item(key, TYPES[random.nextInt(TYPES.length)], behaviour()));
            }
        }
        if (!items.isEmpty()) {
            items.forEach(item -> busyUntil.put(item.key(), at.plus(hold).plusMillis(1)));
            actions.add(new Action.Append(at, actions.size(), items, hold, end()));
        }
    }

    private Action.Append.End end() {
        return switch (random.nextInt(8)) {
            case 0 -> Action.Append.End.ROLLBACK;
            case 1, 2 -> Action.Append.End.COMMIT_UNFLUSHED;
            default -> Action.Append.End.COMMIT;
        };
    }

    private Behaviour behaviour() {
        if (random.nextDouble() >= trouble) {
            return Behaviour.TAKES;
        }
        int times = random.nextInt(6) == 0 ? Behaviour.ALWAYS : random.nextInt(1, 3);
        return switch (random.nextInt(8)) {
            case 0, 1 -> new Behaviour(Behaviour.Kind.IS_SLOW, times);
            case 2 -> new Behaviour(Behaviour.Kind.HANGS, times);
            case 3 -> new Behaviour(Behaviour.Kind.KILLS, times);
            default -> new Behaviour(Behaviour.Kind.THROWS, times);
        };
    }

    private void fault() {
        Duration at = time();
        int node = random.nextInt(nodes);
        actions.add(
                switch (random.nextInt(11)) {
                    case 0, 1 -> new Action.Crash(at, node, upTo(3_000));
                    case 2, 3 -> new Action.Pause(at, node, upTo(5_000));
                    case 4 -> new Action.ClockJump(at, node, upTo(40_000).minusSeconds(20));
                    case 5 -> new Action.Leave(at, node, upTo(3_000));
                    case 6 -> new Action.StoreFails(at, upTo(3_000), 0.05 + random.nextDouble() * 0.4);
                    case 7 -> new Action.StoreSlow(at, upTo(2_000), upTo(1_500));
                    case 8 -> new Action.StoreCrash(soonAfterAnUnflushedCommit(at), upTo(500));
                    case 9 -> new Action.DestinationDown(at, upTo(3_000));
                    default -> new Action.Decide(at, random.nextBoolean());
                });
    }

    private void lossesInARow() {
        Duration at = time();
        for (int more = random.nextInt(2, 5); more > 0; more--) {
            actions.add(new Action.DestinationDown(at, upTo(100)));
            at = at.plus(upTo(1_500));
        }
    }

    /** A crash that loses nothing proves nothing. */
    private Duration soonAfterAnUnflushedCommit(Duration otherwise) {
        List<Duration> commits = actions.stream()
                .filter(Action.Append.class::isInstance)
                .map(Action.Append.class::cast)
                .filter(append -> append.end() == Action.Append.End.COMMIT_UNFLUSHED)
                .map(append -> append.at().plus(append.hold()))
                .toList();
        return commits.isEmpty()
                ? otherwise
                : commits.get(random.nextInt(commits.size())).plus(upTo(400));
    }

    private Duration time() {
        return Duration.ofNanos(random.nextLong(Plan.LENGTH.toNanos()));
    }

    private Duration upTo(int millis) {
        return Duration.ofNanos(random.nextLong(millis * 1_000_000L) + 1);
    }
}
