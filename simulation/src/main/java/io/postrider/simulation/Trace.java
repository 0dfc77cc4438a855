package io.postrider.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** What happened in a run, one line each. Equal traces are equal runs. */
final class Trace {
    /** Proxies in a stack that was kept with an attempt: each process numbers them anew. */
    private static final Pattern NUMBERED = Pattern.compile("(jdk\\.proxy|\\$Proxy)\\d+");

    private final Scheduler scheduler;
    private final boolean kept;
    private final List<String> lines = new ArrayList<>();

    /** @param kept whether anybody will read it: to write it takes as long as all the rest of a run */
    Trace(Scheduler scheduler, boolean kept) {
        this.scheduler = scheduler;
        this.kept = kept;
    }

    void note(String who, Supplier<String> what) {
        if (kept && !scheduler.isOver()) {
            String same = NUMBERED.matcher(what.get()).replaceAll("$1");
            lines.add("%12.6f  %-6s %s".formatted(scheduler.nanos() / 1e9, who, same));
        }
    }

    void note(String who, String what) {
        note(who, () -> what);
    }

    List<String> lines() {
        return List.copyOf(lines);
    }
}
