package io.postrider.benchmarks.report;

import org.jspecify.annotations.Nullable;

/**
 * One line of the report.
 *
 * @param ratio the value by the one it is compared with, if it is compared
 * @param target what is asked: of the ratio if there is one, of the value otherwise; null if it is only told
 * @param how the settings that others would need to repeat it, or nothing
 */
public record Result(
        String name,
        Figure value,
        String unit,
        @Nullable Double ratio,
        @Nullable String target,
        @Nullable Boolean met,
        String how) {

    private static final String COLON = ": ";

    public static Result told(String name, double value, String unit) {
        return new Result(name, new Figure.Measured(value), unit, null, null, null, "");
    }

    /** Who cannot do what is measured says so, instead of being left out. */
    public static Result cannot(String name, String reason) {
        return new Result(name, new Figure.Missing("cannot: " + reason), "", null, null, null, "");
    }

    public static Result notMeasured(String name, String reason) {
        return new Result(name, new Figure.Missing("not measured: " + reason), "", null, null, null, "");
    }

    public static Result judged(String name, double value, String unit, Target target) {
        return new Result(name, new Figure.Measured(value), unit, null, target.toString(), target.met(value), "");
    }

    public static Result compared(String name, double value, String unit, double ratio, Target target) {
        return new Result(name, new Figure.Measured(value), unit, ratio, target.toString(), target.met(ratio), "");
    }

    /** Compared, and nothing is asked of it. */
    public static Result beside(String name, double value, String unit, double ratio) {
        return new Result(name, new Figure.Measured(value), unit, ratio, null, null, "");
    }

    /** The same, with the settings it was measured with. */
    public Result how(String settings) {
        return new Result(name, value, unit, ratio, target, met, settings);
    }

    /** What was measured: the part of the name before the first colon. */
    public String scenario() {
        return name.contains(COLON) ? name.substring(0, name.indexOf(COLON)) : "";
    }

    /** Of whom: the rest of the name. */
    public String whose() {
        return name.contains(COLON) ? name.substring(name.indexOf(COLON) + COLON.length()) : name;
    }

    boolean missed() {
        return Boolean.FALSE.equals(met);
    }
}
