package io.postrider.simulation;

import java.util.ArrayList;
import java.util.List;

/** What happened in a run, one line each. Equal traces are equal runs. */
final class Trace {
    private final Scheduler scheduler;
    private final List<String> lines = new ArrayList<>();

    Trace(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    void note(String who, String what) {
        if (!scheduler.isOver()) {
            lines.add("%12.6f  %-6s %s".formatted(scheduler.nanos() / 1e9, who, what));
        }
    }

    List<String> lines() {
        return List.copyOf(lines);
    }
}
