package io.postrider.postgres;

import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.destination.Guarded;
import io.postrider.destination.Receipt;
import io.postrider.store.Seal;
import io.postrider.text.JsonObject;
import io.postrider.text.JsonTree;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Seals as JSON text: {@code [["nats","ORDERS",4711,"0199…",[100,1,3]]]}, with the first position and then the steps to
 * the next, because they are close to each other and there are many.
 */
final class SealText {
    private SealText() {}

    static @Nullable String of(List<Seal> seals) {
        return seals.isEmpty()
                ? null
                : JsonObject.written(seals.stream().map(SealText::written).toList());
    }

    private static List<Object> written(Seal seal) {
        List<Object> steps = new ArrayList<>();
        long before = 0;
        for (Position position : seal.positions().stream().sorted().toList()) {
            steps.add(position.value() - before);
            before = position.value();
        }
        return List.of(
                seal.destination(),
                seal.stream(),
                seal.last().receipt().sequence(),
                seal.last().event().toString(),
                steps);
    }

    static List<Seal> seals(String text) {
        return elements(JsonTree.read(text)).stream().map(SealText::read).toList();
    }

    private static Seal read(Object seal) {
        List<?> parts = elements(seal);
        List<Position> positions = new ArrayList<>();
        long at = 0;
        for (Object step : elements(parts.get(4))) {
            at += number(step);
            positions.add(new Position(at));
        }
        String stream = String.valueOf(parts.get(1));
        Receipt receipt = new Receipt(stream, number(parts.get(2)));
        EventId event = EventId.of(String.valueOf(parts.get(3)));
        return new Seal(String.valueOf(parts.get(0)), new Guarded.Sealed(receipt, event), positions);
    }

    private static List<?> elements(Object value) {
        if (value instanceof List<?> elements) {
            return elements;
        }
        throw new IllegalArgumentException("seals are lists, got " + value);
    }

    private static long number(Object value) {
        return Long.parseLong(String.valueOf(value));
    }
}
