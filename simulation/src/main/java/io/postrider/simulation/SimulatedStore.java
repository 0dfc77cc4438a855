package io.postrider.simulation;

import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import io.postrider.store.Claim;
import io.postrider.store.Ownership;
import io.postrider.store.Page;
import io.postrider.store.Renew;
import io.postrider.store.Settlement;
import io.postrider.store.Store;
import io.postrider.store.StoreException;
import io.postrider.store.Tasks;
import io.postrider.store.Watch;
import io.postrider.tck.StorePorts;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The store as one process sees it: far away. A call travels there, has its effect, and its answer travels back; on
 * either way it may be lost, and the process may be paused or killed meanwhile. The effect does not care. What handlers
 * do in transactions of the store is done by {@link SimulatedTransact}.
 */
final class SimulatedStore implements InvocationHandler {
    /** The store, or one of its ports. */
    private final Object target;

    private final MemoryStore memory;
    private final World world;
    private final SimulatedEnvironment process;
    private final String name;
    private final SimulatedTransact transact;
    private final Map<String, Object> ports = new HashMap<>();

    private SimulatedStore(Object target, MemoryStore memory, World world, SimulatedEnvironment process, String name) {
        this.target = target;
        this.memory = memory;
        this.world = world;
        this.process = process;
        this.name = name;
        this.transact = new SimulatedTransact(world, process, this::travel);
        if (target instanceof Store) {
            ports.put("transact", transact);
            ports.put("processed", transact);
            ports.put("settleWithin", new SimulatedSettleWithin(world, name, transact, this::travel));
        }
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
        Throwable failure;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Exception {
        if (method.getDeclaringClass() == Object.class) {
            return method.invoke(target, arguments); // a trace may show a port: that asks no server
        }
        if (method.getName().equals("limitations")) {
            return memory.limitations(); // declared once for all, and asked of no server
        }
        if (StorePorts.is(method, Store.class, "lanes")) {
            return world.store().lanes(); // a store has read it once, and waits for nothing
        }
        return StorePorts.isPort(method)
                ? port(method)
                : travel(() -> told(method, arguments), () -> carryOut(method, arguments));
    }

    private @Nullable Object travel(Supplier<String> call, Supplier<@Nullable Object> effect) {
        process.requireAlive();
        Scheduler scheduler = world.scheduler();
        Scheduler.Blocked caller = new Scheduler.Blocked();
        Answer answer = new Answer();
        scheduler.in(world.weather().way(), Scheduler.Owner.WORLD, () -> {
            StoreWeather.Fate fate = world.storeIsDown()
                    ? StoreWeather.Fate.LOST
                    : world.weather().fate();
            if (fate.hasEffect()) {
                carryOut(effect, answer);
            }
            if (fate.isError()) {
                answer.failure = new PlannedError();
            } else if (fate != StoreWeather.Fate.ANSWERED) {
                answer.failure =
                        new StoreException("the " + (fate == StoreWeather.Fate.LOST ? "call" : "answer") + " is lost");
            }
            world.trace().note(name, () -> call.get() + " → " + told(answer, fate));
            if (!fate.isError() || !world.mutation().hangsAfterErrors()) {
                scheduler.resumeAt(scheduler.nanos() + world.weather().way().toNanos(), process, caller);
            }
        });
        scheduler.block(caller);
        if (answer.failure instanceof Error error) {
            throw error;
        } else if (answer.failure instanceof RuntimeException failure) {
            throw failure;
        }
        return answer.value;
    }

    /** A port is as far away as its store; to name it takes no time. */
    private Object port(Method accessor) {
        process.requireAlive();
        return ports.computeIfAbsent(accessor.getName(), first -> far(accessor));
    }

    private Object far(Method accessor) {
        try {
            return Proxy.newProxyInstance(
                    SimulatedStore.class.getClassLoader(),
                    new Class<?>[] {accessor.getReturnType()},
                    new SimulatedStore(accessor.invoke(target), memory, world, process, name));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void carryOut(Supplier<@Nullable Object> effect, Answer answer) {
        try {
            answer.value = effect.get();
        } catch (RuntimeException e) {
            answer.failure = e;
        }
    }

    private @Nullable Object carryOut(Method method, Object @Nullable [] arguments) {
        try {
            Object value = method.invoke(target, arguments);
            if (Writes.has(method, value)) {
                memory.flush();
            }
            observe(method, arguments, value);
            if (value instanceof Watch.News news) {
                return world.oracle().wakes().checked(news);
            }
            if (value instanceof List<?> list) {
                return list.stream()
                        .map(one -> one instanceof Claim.ClaimedLane lane ? world.claimed(lane) : one)
                        .toList();
            }
            return value instanceof Renew.Renewal renewal && world.mutation().hidesTheStoresClock()
                    ? new Renew.Renewal(
                            renewal.kept(), renewal.held(), renewal.shared(), renewal.asked(), process.now())
                    : value;
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            } else if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private void observe(Method method, Object @Nullable [] arguments, @Nullable Object value) {
        if (value instanceof List<?> list) {
            list.stream()
                    .filter(Claim.ClaimedLane.class::isInstance)
                    .forEach(lane -> world.oracle().epochs().claimed(((Claim.ClaimedLane) lane).ownership()));
            list.stream()
                    .filter(Claim.ClaimedDelivery.class::isInstance)
                    .forEach(row -> world.dues().claimed(name, (Claim.ClaimedDelivery) row));
        }
        if (arguments == null) {
            return;
        }
        if (value instanceof Page page) {
            world.oracle().wakes().read((Ownership) arguments[0], page);
        }
        if (target instanceof Tasks && value != null) {
            world.oracle().tasks().observe(name, method.getName(), arguments, value);
            return;
        }
        switch (method.getName()) {
            case "register" -> world.oracle().filters().registered(name, (String) arguments[0], (String) arguments[2]);
            case "takeBack" -> {
                if (value instanceof Optional<?> given && given.isPresent()) {
                    world.oracle().filters().changed((String) arguments[0], (String) arguments[1]);
                }
            }
            case "settle" -> {
                if (Boolean.TRUE.equals(value)) {
                    world.oracle().epochs().settled(name, ((Settlement) arguments[0]).ownership());
                }
            }
            default -> {}
        }
    }

    private static String told(Method method, Object @Nullable [] arguments) {
        return method.getName() + (arguments == null ? "[]" : Arrays.toString(arguments));
    }

    private static String told(Answer answer, StoreWeather.Fate fate) {
        return answer.failure == null ? told(answer.value) : fate + ": " + answer.failure.getMessage();
    }

    /** In an order that is the same in every process; that of immutable sets is not. */
    private static String told(@Nullable Object value) {
        if (value instanceof Renew.Renewal renewal) {
            return "kept=" + renewal.kept() + ", held=" + renewal.held() + ", shared="
                    + new TreeMap<>(renewal.shared());
        }
        if (value instanceof Watch.News news) {
            return "lanes=" + new TreeMap<>(news.lanes()) + ", unowned=" + new TreeSet<>(news.unowned()) + ", cursor="
                    + news.cursor();
        }
        return String.valueOf(value);
    }
}
