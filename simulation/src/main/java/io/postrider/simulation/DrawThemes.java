package io.postrider.simulation;

import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.operate.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Adds to a plan what only some plans have. Each theme has random numbers of its own: a new one changes no other. */
final class DrawThemes {
    private static final int NUMBERS_BEYOND_THOSE_DRAWN = 100_000;
    private static final EventId ANY_ID = EventId.of("00000000-0000-7000-8000-000000000000");

    private final Plan plain;
    private SplittableRandom random;
    private final Set<Theme> themes = EnumSet.noneOf(Theme.class);
    private final List<Action> actions;

    DrawThemes(Plan plain) {
        this.plain = plain;
        this.random = new SplittableRandom(plain.seed());
        this.actions = new ArrayList<>(plain.actions());
    }

    /** Draws from these themes only. */
    Plan plan(Set<Theme> known) {
        for (Theme theme : EnumSet.copyOf(known)) {
            random = new SplittableRandom(plain.seed() ^ ((long) theme.name().hashCode() << 20));
            if (isDrawn(theme)) {
                themes.add(theme);
                add(theme);
            }
        }
        actions.sort(Comparator.comparing(Action::at));
        return new Plan(
                plain.seed(), plain.nodes(), plain.afterDead(), plain.effects(), plain.loses(), themes, actions);
    }

    /**
     * One plan in four has a theme; three of four with tasks let these be overtaken, and half with effects have
     * batches.
     */
    private boolean isDrawn(Theme theme) {
        int drawn = random.nextInt(4);
        return switch (theme) {
            case OVERTAKEN -> drawn > 0 && themes.contains(Theme.QUEUE);
            case BATCHES -> drawn > 1 && themes.contains(Theme.WITH_EFFECT);
            default -> drawn == 0;
        };
    }

    private void add(Theme theme) {
        switch (theme) {
            case ERRORS -> errors();
            case REFUSALS -> refusals();
            case DEPLOYMENTS -> deployments();
            case STORE_CLOCK -> storeClock();
            case OPERATIONS -> operations();
            case RETENTION -> items(item -> random.nextInt(4) == 0 ? item.expiresIn(upTo(5_000)) : item);
            case STORE_CRASHES -> storeCrashes();
            case HOT_LANE -> hotLane();
            case QUEUE, WITH_EFFECT, BATCHES -> {} // another subscription or its handlers, and nothing else
            case OVERTAKEN -> overtaken();
            case HANDED_OVER -> handedOver();
            case FORMS -> forms();
        }
    }

    private void errors() {
        items(item -> random.nextInt(8) == 0 ? item.behaviour(Behaviour.errs(times())) : item);
        for (int more = random.nextInt(1, 4); more > 0; more--) {
            actions.add(new Action.StoreErrs(time(), upTo(1_500), 0.02 + random.nextDouble() * 0.2));
        }
    }

    private int times() {
        return random.nextInt(6) == 0 ? Behaviour.ALWAYS : random.nextInt(1, 3);
    }

    /** Half of those that are flawed fail too: a row is refused only where there is one. */
    private void refusals() {
        Flaw[] flaws = Flaw.values();
        items(item -> {
            if (random.nextInt(6) > 0) {
                return item;
            }
            Action.Item flawed = item.flaw(flaws[random.nextInt(1, flaws.length)]);
            return random.nextBoolean() ? flawed.behaviour(new Behaviour(Behaviour.Kind.THROWS, times())) : flawed;
        });
        for (int more = random.nextInt(4); more > 0; more--) {
            actions.add(new Action.Damage(time()));
        }
    }

    private void storeClock() {
        for (int more = random.nextInt(1, 4); more > 0; more--) {
            actions.add(new Action.StoreClockJump(time(), upTo(20_000).minusSeconds(8)));
        }
    }

    /** Each loses an event that may have been read, and is followed by another one of the same key. */
    private void storeCrashes() {
        for (int crash = random.nextInt(1, 5); crash > 0; crash--) {
            Action.Item item = new Action.Item("crash-" + crash, "parcel.sent", Behaviour.TAKES);
            Duration lost = time();
            Duration hold = upTo(2);
            Duration at = lost.plus(hold).plus(upTo(40));
            Duration downtime = upTo(300);
            int number = NUMBERS_BEYOND_THOSE_DRAWN + 2 * crash;
            actions.add(new Action.Append(lost, number, List.of(item), hold, Action.Append.End.COMMIT_UNFLUSHED));
            actions.add(new Action.StoreCrash(at, downtime));
            actions.add(new Action.Append(
                    at.plus(downtime).plus(upTo(50)), number + 1, List.of(item), hold, Action.Append.End.COMMIT));
        }
    }

    /** More keys of one lane than its owner holds, more events behind them than it counts, and operators who decide. */
    private void hotLane() {
        Lane lane = new Lane(random.nextInt(Lane.COUNT_DEFAULT));
        List<String> keys = IntStream.iterate(0, number -> number + 1)
                .mapToObj(number -> "hot-" + number)
                .filter(key -> Lane.of(key, ANY_ID, Lane.COUNT_DEFAULT).equals(lane))
                .limit(random.nextInt(3, 12))
                .toList();
        int number = NUMBERS_BEYOND_THOSE_DRAWN + 100;
        Duration at = time().dividedBy(2);
        for (String key : keys) {
            List<Action.Item> items = new ArrayList<>();
            int times = random.nextInt(3) == 0 ? Behaviour.ALWAYS : random.nextInt(1, 3);
            items.add(new Action.Item(key, "parcel.sent", new Behaviour(Behaviour.Kind.THROWS, times)));
            for (int more = random.nextInt(1, 12); more > 0; more--) {
                items.add(new Action.Item(key, "parcel.sent", Behaviour.TAKES));
            }
            actions.add(new Action.Append(at.plus(upTo(100)), number++, items, upTo(5), Action.Append.End.COMMIT));
            actions.add(new Action.Append(
                    at.plus(upTo(4_000)).plusMillis(110),
                    number++,
                    List.of(new Action.Item(key, "parcel.sent", Behaviour.TAKES)),
                    upTo(5),
                    Action.Append.End.COMMIT));
            actions.add(new Action.Decide(at.plus(upTo(6_000)), random.nextInt(3) == 0));
        }
    }

    /** Tasks that are still under way when the store's clock jumps beyond their leases, so that others take them. */
    private void overtaken() {
        int number = NUMBERS_BEYOND_THOSE_DRAWN + 200;
        for (int more = random.nextInt(1, 4); more > 0; more--) {
            Duration at = time();
            List<Action.Item> items = new ArrayList<>();
            for (int task = random.nextInt(1, 6); task > 0; task--) {
                Behaviour.Kind kind = random.nextBoolean() ? Behaviour.Kind.IS_SLOW : Behaviour.Kind.HANGS;
                items.add(new Action.Item("task-" + number + "-" + task, "parcel.sent", new Behaviour(kind, times())));
            }
            actions.add(new Action.Append(at, number++, items, upTo(5), Action.Append.End.COMMIT));
            actions.add(
                    new Action.StoreClockJump(at.plus(upTo(800)), upTo(8_000).plusSeconds(3)));
        }
    }

    /** Keys with slow events, whose node leaves, and soon afterwards stands still for about as long as its lease. */
    private void handedOver() {
        int number = NUMBERS_BEYOND_THOSE_DRAWN + 300;
        for (int more = random.nextInt(1, 4); more > 0; more--) {
            Duration at = time();
            for (int key = random.nextInt(1, 5); key > 0; key--) {
                List<Action.Item> items = new ArrayList<>();
                for (int event = random.nextInt(2, 6); event > 0; event--) {
                    Behaviour slow = new Behaviour(Behaviour.Kind.IS_SLOW, random.nextInt(1, 3));
                    items.add(new Action.Item("handed-" + number, "parcel.sent", slow));
                }
                actions.add(new Action.Append(at, number++, items, upTo(5), Action.Append.End.COMMIT));
            }
            int node = random.nextInt(plain.nodes());
            Duration leaves = at.plus(upTo(500));
            actions.add(new Action.Leave(leaves, node, upTo(1_000)));
            actions.add(
                    new Action.Pause(leaves.plus(upTo(100)), node, upTo(5_000).plusSeconds(1)));
        }
    }

    /** A subscription with effects whose form another version changes; one deployment is enough for both themes. */
    private void forms() {
        themes.add(Theme.WITH_EFFECT);
        if (themes.add(Theme.DEPLOYMENTS)) {
            deployments();
        }
    }

    private void operations() {
        Operation.Standing[] standings = {
            Operation.Standing.DEAD,
            Operation.Standing.SKIPPED,
            Operation.Standing.DELIVERED,
            Operation.Standing.DELIVERED
        };
        for (int more = random.nextInt(1, 4); more > 0; more--) {
            Duration cancelled = random.nextInt(4) == 0 ? upTo(2_000) : Duration.ZERO;
            actions.add(new Action.Replay(
                    time(),
                    random.nextInt(4),
                    standings[random.nextInt(standings.length)],
                    random.nextInt(3) == 0 ? random.nextInt(1, 4) : 0,
                    cancelled));
        }
    }

    /** All nodes in turn, and sometimes back; or a canary, which is rolled back or aborted. */
    private void deployments() {
        Duration at = time().dividedBy(2);
        int canary = random.nextInt(plain.nodes());
        switch (random.nextInt(3)) {
            case 0 -> {
                at = rollOut(at, 1);
                if (random.nextInt(3) == 0) {
                    rollOut(at, 0);
                }
            }
            case 1 -> {
                deploy(at, canary, 1);
                deploy(at.plus(upTo(5_000)), canary, 0);
            }
            default -> {
                deploy(at, canary, 1);
                if (plain.nodes() > 1) {
                    actions.add(new Action.Abort(at.plus(upTo(5_000)), canary));
                }
            }
        }
    }

    private Duration rollOut(Duration begin, int version) {
        Duration at = begin;
        for (int node = 0; node < plain.nodes(); node++) {
            deploy(at, node, version);
            at = at.plus(upTo(2_500));
        }
        return at;
    }

    private void deploy(Duration at, int node, int version) {
        actions.add(new Action.Deploy(at, node, version, upTo(1_000), random.nextInt(3) == 0));
    }

    private void items(UnaryOperator<Action.Item> change) {
        actions.replaceAll(action -> action instanceof Action.Append append
                ? new Action.Append(
                        append.at(),
                        append.number(),
                        append.items().stream().map(change).toList(),
                        append.hold(),
                        append.end())
                : action);
    }

    private Duration time() {
        return Duration.ofNanos(random.nextLong(Plan.LENGTH.toNanos()));
    }

    private Duration upTo(int millis) {
        return Duration.ofNanos(random.nextLong(millis * 1_000_000L) + 1);
    }
}
