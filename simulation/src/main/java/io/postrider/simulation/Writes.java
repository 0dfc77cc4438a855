package io.postrider.simulation;

import io.postrider.operate.Browse;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operations;
import io.postrider.operate.Search;
import io.postrider.store.Claim;
import io.postrider.store.Foresee;
import io.postrider.store.Park;
import io.postrider.store.Renew;
import io.postrider.store.Retain;
import io.postrider.store.Seals;
import io.postrider.store.Settle;
import io.postrider.store.Store;
import io.postrider.store.Subscriptions;
import io.postrider.store.Tasks;
import io.postrider.store.Watch;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which calls of a store have written something, and so wait for its disk: by their port, and by their answer. */
final class Writes {
    private static final Set<Class<?>> READERS = Set.of(Watch.class, Browse.class, Search.class, Foresee.class);

    private static final Map<Class<?>, Set<String>> LOOKS = Map.of(
            Store.class, Set.of("log", "limitations"),
            Subscriptions.class, Set.of("list"),
            Claim.class, Set.of("read"),
            Park.class, Set.of("blocked"),
            Tasks.class, Set.of("ready"),
            Operations.class, Set.of("preview", "find", "list"),
            Retain.class, Set.of("drops"),
            Seals.class, Set.of("sealings", "lost", "events"));

    /** Calls that write nothing where they answer with nothing. */
    private static final Map<Class<?>, Set<String>> ATTEMPTS = Map.of(
            Claim.class, Set.of("claim"),
            Settle.class, Set.of("settle"),
            Renew.class, Set.of("extend"),
            Tasks.class, Set.of("claim"));

    private Writes() {}

    static boolean has(Method call, @Nullable Object answer) {
        Class<?> port = call.getDeclaringClass();
        if (READERS.contains(port) || isAmong(LOOKS, call)) {
            return false;
        }
        if (isAmong(ATTEMPTS, call)) {
            return !Boolean.FALSE.equals(answer) && !(answer instanceof Collection<?> all && all.isEmpty());
        }
        return port != Park.class || moves(answer);
    }

    private static boolean isAmong(Map<Class<?>, Set<String>> calls, Method call) {
        return calls.getOrDefault(call.getDeclaringClass(), Set.of()).contains(call.getName());
    }

    /** Whether a look at rows brought one to the front, or put one behind. */
    private static boolean moves(@Nullable Object answer) {
        if (answer instanceof Park.Window window) {
            return window.demoted() > 0;
        }
        if (answer instanceof Park.Promoted promoted) {
            return promoted.promoted() > 0;
        }
        Set<@Nullable String> keys = new HashSet<>();
        return answer instanceof List<?> rows
                && rows.stream().map(Delivery.class::cast).anyMatch(row -> keys.add(row.key()) && row.behind());
    }
}
