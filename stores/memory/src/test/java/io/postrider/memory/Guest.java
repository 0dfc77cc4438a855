package io.postrider.memory;

import io.postrider.Codec;
import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** An application on a class path of its own; called by reflection. */
public final class Guest {
    private Guest() {}

    /** Starts with the default codec. */
    public static void plain() {
        Postrider.on(MemoryStore.create()).close();
    }

    /** Delivers one event, at the second attempt, with a codec that knows numbers alone. */
    public static String withOwnCodec() throws Exception {
        CompletableFuture<String> handled = new CompletableFuture<>();
        AtomicInteger failures = new AtomicInteger(1);
        try (Postrider<MemoryTransaction> node =
                Postrider.on(MemoryStore.create(), PostriderConfig.defaults().codec(new Numbers()))) {
            node.subscribe("numbers")
                    .onTransaction("number.*", Integer.class, (transaction, number, context) -> {
                        if (failures.getAndDecrement() > 0) {
                            throw new IllegalStateException("once");
                        }
                        handled.complete(number + " " + context.userId().orElse(""));
                    })
                    .start();
            Event event = Event.of("number.drawn", 17).userId("ann");
            node.transaction(transaction -> node.outbox().append(transaction, event));
            return handled.get(1, TimeUnit.MINUTES);
        }
    }

    private static final class Numbers implements Codec {
        @Override
        public String encode(Object value) {
            return value.toString();
        }

        @Override
        public <P> P decode(String json, Class<P> type) {
            return type.cast(Integer.valueOf(json));
        }
    }
}
