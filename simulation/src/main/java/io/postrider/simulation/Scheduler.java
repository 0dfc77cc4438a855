package io.postrider.simulation;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time, and threads of which exactly one runs at any moment.
 *
 * <p>The engine blocks in store calls and handlers, as it does in production, so a task needs a thread of its own while
 * it is blocked. Whoever runs holds the baton: it takes the next entry from the agenda and carries it out. A task that
 * blocks passes the baton to another thread, and goes on when the agenda comes to its resumption. So the interleaving
 * is decided by the agenda alone, that is by the seed, and never by the machine.
 */
final class Scheduler {
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "simulated");
        thread.setDaemon(true);
        return thread;
    });

    private final PriorityQueue<Entry> agenda = new PriorityQueue<>();
    private final Set<Blocked> blocked = new LinkedHashSet<>();
    private final SplittableRandom random;
    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
    private long nanos;
    private long entries;
    private volatile boolean over;
    /** Whether the thread that has the baton does something of the world's. */
    private boolean inWorld;

    /** Whose task it is: one that is gone runs nothing any more, one that is paused runs it later. */
    interface Owner {
        /** The simulation itself, and the store. */
        Owner WORLD = new Owner() {
            @Override
            public boolean gone() {
                return false;
            }

            @Override
            public long pausedUntil() {
                return 0;
            }
        };

        boolean gone();

        long pausedUntil();
    }

    /** Thrown into a simulated thread whose process is gone. An Error, because nobody handles it. */
    static final class Gone extends Error {
        private static final long serialVersionUID = 1L;

        Gone() {
            super("the process is gone", null, false, false);
        }
    }

    /** A thread that waits for its resumption. */
    static final class Blocked {
        private final Thread thread = Thread.currentThread();
        private volatile boolean resumed;
        private volatile boolean gone;
        private boolean interrupted;
    }

    private record Entry(
            long at,
            long number,
            Owner owner,
            @Nullable Runnable task,
            @Nullable Blocked resumes) implements Comparable<Entry> {
        @Override
        public int compareTo(Entry other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
        }
    }

    Scheduler(SplittableRandom random) {
        this.random = random;
    }

    long nanos() {
        return nanos;
    }

    boolean isOver() {
        return over;
    }

    /** Carries out the agenda until someone calls {@link #end}, on threads of the simulation. */
    void run() {
        THREADS.execute(this::carryOut);
        ended.join();
    }

    /** Ends the run; throws out of the calling thread. */
    void end(@Nullable Throwable failure) {
        over = true;
        for (Blocked waiting : List.copyOf(blocked)) {
            waiting.gone = true;
            resume(waiting);
        }
        if (failure == null) {
            ended.complete(null);
        } else {
            ended.completeExceptionally(failure);
        }
    }

    /** Adds a task to the agenda. */
    void at(long time, Owner owner, Runnable task) {
        add(new Entry(Math.max(time, nanos), entries++, owner, task, null));
    }

    void in(Duration delay, Owner owner, Runnable task) {
        at(nanos + delay.toNanos(), owner, task);
    }

    /** A short while, drawn anew: two threads that are ready run in either order. */
    Duration moment(Duration most) {
        return Duration.ofNanos(random.nextLong(most.toNanos() + 1));
    }

    /** Blocks the calling task for a while; true if it was interrupted meanwhile. */
    boolean sleep(Duration delay, Owner owner) {
        Blocked self = new Blocked();
        resumeAt(nanos + delay.toNanos(), owner, self);
        return block(self);
    }

    /** The agenda lets a blocked task go on at this time. */
    void resumeAt(long time, Owner owner, Blocked waiting) {
        add(new Entry(Math.max(time, nanos), entries++, owner, null, waiting));
    }

    /**
     * Passes the baton on until the agenda comes to this thread's resumption. What the world does in between never
     * blocks, so this thread does it itself: to change threads costs far more than what they do.
     */
    boolean block(Blocked self) {
        if (over) {
            throw new Gone();
        }
        if (inWorld) {
            throw new IllegalStateException("what the world does never blocks: nobody would have the baton");
        }
        blocked.add(self);
        Entry next = nextOfOthers(self);
        if (next != null) {
            hand(next);
        }
        while (!self.resumed) {
            LockSupport.park(this);
            self.interrupted |= Thread.interrupted();
        }
        self.interrupted |= Thread.interrupted();
        if (self.gone) {
            throw new Gone();
        }
        return self.interrupted;
    }

    /** Does what can be done by this thread; answers what cannot, or null once this thread goes on. */
    private @Nullable Entry nextOfOthers(Blocked self) {
        while (!self.resumed) {
            Entry next = next();
            if (next == null) {
                return null;
            } else if (next.resumes() == self) {
                self.gone = next.owner().gone();
                blocked.remove(self);
                self.resumed = true;
            } else if (next.task() != null && next.owner() == Owner.WORLD) {
                inWorld = true;
                carryOut(next.task());
                inWorld = false;
            } else {
                return next;
            }
        }
        return null;
    }

    /** Another thread goes on with this. */
    private void hand(Entry next) {
        if (next.resumes() != null) {
            next.resumes().gone = next.owner().gone();
            resume(next.resumes());
        } else {
            THREADS.execute(() -> {
                carryOut(Objects.requireNonNull(next.task()));
                carryOut();
            });
        }
    }

    /** The next entry whose time has come and whose owner can do it; null if the run is over. */
    private @Nullable Entry next() {
        while (!over) {
            Entry next = agenda.poll();
            if (next == null) {
                end(new IllegalStateException("nothing is left to do, and nobody has ended the run"));
                return null;
            }
            nanos = Math.max(nanos, next.at());
            if (next.owner().pausedUntil() > nanos && !next.owner().gone()) {
                agenda.add(new Entry(next.owner().pausedUntil(), entries++, next.owner(), next.task(), next.resumes()));
            } else if (next.resumes() != null || !next.owner().gone()) {
                return next;
            }
        }
        return null;
    }

    private void add(Entry entry) {
        if (!over) {
            agenda.add(entry);
        }
    }

    private void carryOut() {
        for (Entry next = next(); next != null; next = next()) {
            if (next.task() == null) {
                hand(next);
                return;
            }
            carryOut(next.task());
        }
    }

    private void carryOut(Runnable task) {
        try {
            task.run();
        } catch (Gone e) {
            // Its process was killed while it ran: the rest of the task never happens.
        } catch (Throwable e) {
            end(e);
        }
    }

    private void resume(Blocked waiting) {
        blocked.remove(waiting);
        waiting.resumed = true;
        LockSupport.unpark(waiting.thread);
    }
}
