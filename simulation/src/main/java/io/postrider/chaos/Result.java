package io.postrider.chaos;

import java.util.List;

/**
 * What became of a scenario.
 *
 * @param broken promises beyond the guarantees that were not kept, a sentence each
 */
record Result(
        String scenario,
        String sentence,
        String fault,
        Volume volume,
        Verdict verdict,
        Timing timing,
        List<String> broken,
        boolean held) {

    Result {
        broken = List.copyOf(broken);
    }

    /**
     * What was written.
     *
     * @param eventsPerSecond the load that was held, the time of the fault included
     * @param committed events whose transaction committed, whether or not its writer got to know
     * @param committedAfterwards those of them that were committed after the time to recover had begun
     * @param undone events of transactions that were rolled back
     * @param unknown events whose commit failed, with an outcome the writer does not know
     */
    record Volume(double eventsPerSecond, int committed, int committedAfterwards, int undone, int unknown) {}

    /**
     * What the judge says.
     *
     * @param lost committed events that never arrived
     * @param inversions events that arrived before an earlier one of their key
     * @param resurrected events that arrived although their transaction was rolled back
     * @param duplicates arrivals beyond the first of each event
     * @param evidence the first events that were lost, inverted or resurrected
     */
    record Verdict(int lost, int inversions, int resurrected, int duplicates, List<String> evidence) {
        Verdict {
            evidence = List.copyOf(evidence);
        }

        boolean clean() {
            return lost == 0 && inversions == 0 && resurrected == 0;
        }
    }

    /**
     * How long it took.
     *
     * @param longestLagMillis the longest time from a commit to the arrival
     * @param recoveryMillis until the last event had come that was more than a second late
     * @param recoveryMillisMax how long that may take
     */
    record Timing(long longestLagMillis, long recoveryMillis, long recoveryMillisMax) {
        boolean inTime() {
            return recoveryMillis <= recoveryMillisMax;
        }
    }

    static Result of(
            Scenario scenario, Fault fault, Volume volume, Verdict verdict, Timing timing, List<String> broken) {
        boolean held = verdict.clean()
                && verdict.duplicates() <= scenario.setup().duplicatesMax()
                && timing.inTime()
                && broken.isEmpty();
        return new Result(
                scenario.name(), scenario.sentence(), fault.evidence(), volume, verdict, timing, broken, held);
    }
}
