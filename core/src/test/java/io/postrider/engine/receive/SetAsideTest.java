package io.postrider.engine.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Inbox;
import io.postrider.Payload;
import io.postrider.wire.Incoming;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SetAsideTest {
    private static final int PAYLOAD_BYTES = 1_000;

    @Test
    void however_long_its_id_and_its_reason_are_it_fits() {
        Incoming message = message("i".repeat(300_000));
        SetAside aside = SetAside.of(Inbox.UNDECODABLE, message, "why ".repeat(100_000), PAYLOAD_BYTES);
        assertThat(aside.whole()).isFalse();
        assertThat(payload(aside).getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(PAYLOAD_BYTES);
        assertThat(payload(aside)).contains("\"reason\":\"why why", "\"bytes\":3");
        assertThat(aside.incoming().id()).hasSizeLessThan(PAYLOAD_BYTES);
    }

    @Test
    void long_ids_that_differ_at_their_end_are_two() {
        String most = "i".repeat(300_000);
        assertThat(aside(most + "a").incoming().id())
                .isNotEqualTo(aside(most + "b").incoming().id())
                .isEqualTo(aside(most + "a").incoming().id());
    }

    private static SetAside aside(String id) {
        return SetAside.of(Inbox.UNDECODABLE, message(id), "no reason", PAYLOAD_BYTES);
    }

    private static Incoming message(String id) {
        return new Incoming(id, Event.of("letter.sent", Payload.json("\"a\"")));
    }

    private static String payload(SetAside aside) {
        return ((Payload.Json) aside.incoming().event().payload()).text();
    }
}
