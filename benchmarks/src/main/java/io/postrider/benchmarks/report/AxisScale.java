package io.postrider.benchmarks.report;

import java.util.ArrayList;
import java.util.List;

/** Where values lie on an axis that begins at zero, and the round numbers beside it. */
record AxisScale(double top, double step) {
    private static final int TICKS = 5;

    /** The smallest axis of round steps (1, 2 or 5 times a power of ten) that has room for the value. */
    static AxisScale upTo(double highest) {
        if (!(highest > 0)) {
            return new AxisScale(1, 1);
        }
        double rough = highest / TICKS;
        double power = Math.pow(10, Math.floor(Math.log10(rough)));
        double step = power * round(rough / power);
        return new AxisScale(step * Math.ceil(highest / step - 1e-9), step);
    }

    private static double round(double factor) {
        return factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10;
    }

    List<Double> ticks() {
        List<Double> ticks = new ArrayList<>();
        for (int i = 0; i * step <= top + step / 2; i++) {
            ticks.add(i * step);
        }
        return ticks;
    }

    /** The value's share of this many pixels. */
    double pixels(double value, double length) {
        return value / top * length;
    }
}
