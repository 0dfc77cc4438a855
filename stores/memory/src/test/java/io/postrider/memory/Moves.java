package io.postrider.memory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** What methods tell while they run, by one thread: from which class the next one was called. */
public final class Moves {
    private static final List<String> MADE = new ArrayList<>();
    private static final Deque<String> CALLS = new ArrayDeque<>();
    private static boolean counting;

    private Moves() {}

    /** From now on calls count. */
    public static void begin() {
        counting = true;
    }

    public static void end() {
        counting = false;
    }

    public static void enter(String method) {
        String from = CALLS.isEmpty() ? "a thread" : CALLS.peek();
        CALLS.push(method);
        if (counting && !owner(from).equals(owner(method))) {
            MADE.add(simple(from) + " -> " + simple(method));
        }
    }

    public static void leave() {
        CALLS.pop();
    }

    static List<String> made() {
        return List.copyOf(MADE);
    }

    /** The class that a move led to. */
    static String target(String move) {
        return owner(move.substring(move.indexOf("-> ") + 3));
    }

    /** Classes within a class are parts of it. */
    private static String owner(String method) {
        int end = method.indexOf('$');
        return method.substring(0, end > 0 ? end : Math.max(method.lastIndexOf('.'), 0));
    }

    private static String simple(String method) {
        int owner = method.lastIndexOf('.', method.lastIndexOf('.') - 1);
        return method.substring(owner + 1);
    }
}
