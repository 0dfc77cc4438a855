package io.postrider.benchmarks;

import org.jspecify.annotations.Nullable;

/**
 * One line of the report.
 *
 * @param ratio the value by the one it is compared with, if it is compared
 * @param target what is asked: of the ratio if there is one, of the value otherwise; null if it is only told
 */
record Result(
        String name,
        double value,
        String unit,
        @Nullable Double ratio,
        @Nullable String target,
        @Nullable Boolean met) {

    static Result told(String name, double value, String unit) {
        return new Result(name, value, unit, null, null, null);
    }

    static Result judged(String name, double value, String unit, Target target) {
        return new Result(name, value, unit, null, target.toString(), target.met(value));
    }

    static Result compared(String name, double value, String unit, double ratio, Target target) {
        return new Result(name, value, unit, ratio, target.toString(), target.met(ratio));
    }

    boolean missed() {
        return Boolean.FALSE.equals(met);
    }
}
