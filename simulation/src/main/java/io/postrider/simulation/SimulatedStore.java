package io.postrider.simulation;

import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import io.postrider.spi.Claim;
import io.postrider.spi.Renew;
import io.postrider.spi.Settlement;
import io.postrider.spi.Store;
import io.postrider.spi.StoreException;
import io.postrider.spi.Watch;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The store as one process sees it: far away. A call travels there, has its effect, and its answer travels back; on
 * either way it may be lost, and the process may be paused or killed meanwhile. The effect does not care.
 */
final class SimulatedStore implements InvocationHandler {
    /** Calls that write nothing, and so wait for no disk. */
    private static final Set<String> LOOKS =
            Set.of("read", "deliveries", "watch", "now", "ledger", "progress", "list", "search", "limitations");

    private final Store<MemoryTransaction> store;
    private final MemoryStore memory;
    private final World world;
    private final SimulatedEnvironment process;
    private final String name;

    private SimulatedStore(
            Store<MemoryTransaction> store,
            MemoryStore memory,
            World world,
            SimulatedEnvironment process,
            String name) {
        this.store = store;
        this.memory = memory;
        this.world = world;
        this.process = process;
        this.name = name;
    }

    @SuppressWarnings("unchecked")
    static Store<MemoryTransaction> of(World world, SimulatedEnvironment process, String name) {
        return (Store<MemoryTransaction>) Proxy.newProxyInstance(
                SimulatedStore.class.getClassLoader(),
                new Class<?>[] {Store.class},
                new SimulatedStore(world.store(), world.memory(), world, process, name));
    }

    /** The answer of a call, once it is there. */
    private static final class Answer {
        @Nullable
        Object value;

        @Nullable
        RuntimeException failure;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) {
        process.requireAlive();
        Scheduler scheduler = world.scheduler();
        Scheduler.Blocked caller = new Scheduler.Blocked();
        Answer answer = new Answer();
        scheduler.in(world.weather().way(), Scheduler.Owner.WORLD, () -> {
            StoreWeather.Fate fate = world.storeIsDown()
                    ? StoreWeather.Fate.LOST
                    : world.weather().fate();
            if (fate != StoreWeather.Fate.LOST) {
                carryOut(method, arguments, answer);
            }
            if (fate != StoreWeather.Fate.ANSWERED) {
                answer.failure =
                        new StoreException("the " + (fate == StoreWeather.Fate.LOST ? "call" : "answer") + " is lost");
            }
            world.trace().note(name, told(method, arguments, answer, fate));
            scheduler.resumeAt(scheduler.nanos() + world.weather().way().toNanos(), process, caller);
        });
        scheduler.block(caller);
        if (answer.failure != null) {
            throw answer.failure;
        }
        return answer.value;
    }

    private void carryOut(Method method, Object @Nullable [] arguments, Answer answer) {
        try {
            answer.value = method.invoke(store, arguments);
            if (!LOOKS.contains(method.getName())) {
                memory.flush();
            }
            observe(method, arguments, answer.value);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                answer.failure = failure;
            } else if (e.getCause() instanceof Error error) {
                throw error;
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private void observe(Method method, Object @Nullable [] arguments, @Nullable Object value) {
        if (value instanceof List<?> list) {
            list.stream()
                    .filter(Claim.ClaimedLane.class::isInstance)
                    .forEach(lane -> world.oracle().claimed(((Claim.ClaimedLane) lane).ownership()));
        }
        if (method.getName().equals("settle") && Boolean.TRUE.equals(value) && arguments != null) {
            world.oracle().settled(((Settlement) arguments[0]).ownership());
        }
    }

    private static String told(Method method, Object @Nullable [] arguments, Answer answer, StoreWeather.Fate fate) {
        String call = method.getName() + (arguments == null ? "[]" : Arrays.toString(arguments));
        return call + " → " + (answer.failure == null ? told(answer.value) : fate + ": " + answer.failure.getMessage());
    }

    /** In an order that is the same in every process; that of immutable sets is not. */
    private static String told(@Nullable Object value) {
        if (value instanceof Renew.Renewal renewal) {
            return "kept=" + renewal.kept() + ", held=" + renewal.held() + ", shared="
                    + new TreeMap<>(renewal.shared());
        }
        if (value instanceof Watch.News news) {
            return "lanes=" + new TreeSet<>(news.lanes()) + ", unowned=" + new TreeSet<>(news.unowned()) + ", cursor="
                    + news.cursor();
        }
        return String.valueOf(value);
    }
}
