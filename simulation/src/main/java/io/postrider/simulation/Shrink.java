package io.postrider.simulation;

import java.util.ArrayList;
import java.util.List;

/** Finds a plan with as few actions as possible that still fails: what can be left out is left out. */
final class Shrink {
    private final Mutation mutation;
    private Run.Result least;

    private Shrink(Run.Result failed, Mutation mutation) {
        this.mutation = mutation;
        this.least = failed;
    }

    static Run.Result shrink(Run.Result failed, Mutation mutation) {
        return Run.traced(new Shrink(failed, mutation).shrink().plan(), mutation);
    }

    private Run.Result shrink() {
        int chunk = Math.max(1, least.plan().actions().size() / 2);
        while (true) {
            boolean smaller = leaveOut(chunk);
            if (!smaller && chunk == 1) {
                return least;
            }
            if (!smaller) {
                chunk = Math.max(1, chunk / 2);
            }
        }
    }

    /** Tries to leave out each stretch of this many actions; true if one was not needed. */
    private boolean leaveOut(int chunk) {
        List<Action> actions = least.plan().actions();
        for (int from = 0; from < actions.size(); from += chunk) {
            List<Action> fewer = new ArrayList<>(actions.subList(0, from));
            fewer.addAll(actions.subList(Math.min(from + chunk, actions.size()), actions.size()));
            Run.Result result = Run.of(least.plan().with(fewer), mutation);
            if (!result.held()) {
                least = result;
                return true;
            }
        }
        return false;
    }
}
