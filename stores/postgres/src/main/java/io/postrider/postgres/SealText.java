package io.postrider.postgres;

import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.destination.Guarded;
import io.postrider.destination.Receipt;
import io.postrider.store.Seal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/**
 * Seals as JSON text: {@code [["nats","ORDERS",4711,"0199…",[100,1,3]]]}, with the first position and then the steps to
 * the next, because they are close to each other and there are many.
 */
final class SealText {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private SealText() {}

    static @Nullable String of(List<Seal> seals) {
        if (seals.isEmpty()) {
            return null;
        }
        ArrayNode text = JSON.createArrayNode();
        seals.forEach(seal -> write(text.addArray(), seal));
        return text.toString();
    }

    private static void write(ArrayNode text, Seal seal) {
        text.add(seal.destination())
                .add(seal.stream())
                .add(seal.last().receipt().sequence())
                .add(seal.last().event().toString());
        ArrayNode steps = text.addArray();
        long before = 0;
        for (Position position : seal.positions().stream().sorted().toList()) {
            steps.add(position.value() - before);
            before = position.value();
        }
    }

    static List<Seal> seals(String text) {
        List<Seal> seals = new ArrayList<>();
        JSON.readTree(text).forEach(each -> seals.add(read(each)));
        return seals;
    }

    private static Seal read(JsonNode text) {
        List<Position> positions = new ArrayList<>();
        long at = 0;
        for (JsonNode step : text.get(4)) {
            at += step.longValue();
            positions.add(new Position(at));
        }
        Receipt receipt = new Receipt(text.get(1).stringValue(), text.get(2).longValue());
        EventId event = EventId.of(text.get(3).stringValue());
        return new Seal(text.get(0).stringValue(), new Guarded.Sealed(receipt, event), positions);
    }
}
