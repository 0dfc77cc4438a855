package io.postrider.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What the command line says.
 *
 * @param quick only the short set
 * @param docs also write the page on reliability
 * @param list only list
 * @param events how many events are relayed
 * @param outage how long the broker is away
 * @param seed what decides the order of kills in the relay
 * @param names of scenarios; all if there is none
 */
record ChaosOptions(
        boolean quick, boolean docs, boolean list, long events, Duration outage, long seed, List<String> names) {
    static final String USAGE = "chaos [--docs] [--events NUMBER] [--outage SECONDS] [--seed NUMBER]"
            + " [--list | --quick | scenario ...]";

    private static final long WENT_BACK_EVENTS = 40_000;
    private static final int WENT_BACK_TIMES = 4;
    private static final Duration OUTAGE = Duration.ofMinutes(10);

    ChaosOptions {
        names = List.copyOf(names);
        List<String> unknown =
                names.stream().filter(name -> !Scenarios.names().contains(name)).toList();
        if (!unknown.isEmpty() || (quick && !names.isEmpty())) {
            throw new IllegalArgumentException("got " + String.join(" ", unknown.isEmpty() ? names : unknown));
        }
    }

    /** @throws IllegalArgumentException with what cannot be understood */
    static ChaosOptions parse(List<String> arguments) {
        List<String> rest = new ArrayList<>(arguments);
        boolean quick = rest.remove("--quick");
        boolean docs = rest.remove("--docs");
        boolean list = rest.remove("--list");
        long events = number(rest, "--events", Relay.Size.FULL.events());
        Duration outage = Duration.ofSeconds(number(rest, "--outage", OUTAGE.toSeconds()));
        long seed = number(rest, "--seed", System.nanoTime() & 0xFFFF);
        return new ChaosOptions(quick, docs, list, events, outage, seed, rest);
    }

    private static long number(List<String> rest, String option, long otherwise) {
        int at = rest.indexOf(option);
        if (at < 0) {
            return otherwise;
        }
        rest.remove(at);
        String value = at < rest.size() ? rest.remove(at) : "nothing";
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + " takes a number, got '" + value + "'", e);
        }
    }

    List<Scenario> scenarios() {
        return quick ? Scenarios.QUICK : Scenarios.named(names);
    }

    List<BrokerScenario> brokerScenarios() {
        List<BrokerScenario> all = List.of(
                new Relay(Relay.Size.FULL.events(events), seed),
                new WentBack(Math.min(events, WENT_BACK_EVENTS), WENT_BACK_TIMES),
                new BrokerOutage(outage));
        return all.stream()
                .filter(scenario -> !quick && (names.isEmpty() || names.contains(scenario.name())))
                .toList();
    }
}
