package io.postrider.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class HarnessThreadsTest {
    private final HarnessThreads threads = new HarnessThreads();

    @Test
    void a_report_that_nobody_understands_fails_the_scenario_and_not_the_engine() throws Exception {
        try (Receiver receiver = Receiver.open(threads)) {
            assertThat(answerTo("no event", receiver))
                    .as("end of the connection")
                    .isEqualTo(-1);
        }
        Pause.until(Pace.FULL.patience(), this::failed);
        assertThatThrownBy(threads::check)
                .isInstanceOf(Unmeasured.class)
                .hasMessageContaining("the harness's thread 'receiver of a node' failed")
                .hasMessageContaining("no event");
    }

    @Test
    void a_node_that_goes_is_no_failure_of_the_harness() throws Exception {
        NumberedEvent event = new NumberedEvent(UUID.randomUUID(), "key", 1);
        try (Receiver receiver = Receiver.open(threads)) {
            assertThat(answerTo(Arrival.line(event, "node"), receiver)).isEqualTo(Receiver.RECEIVED);
            assertThat(Pause.until(Pace.FULL.patience(), () -> receiver.connected() == 0))
                    .isTrue();
            assertThat(receiver.arrivals()).extracting(Arrival::event).containsExactly(event);
        }
        threads.check();
    }

    private boolean failed() {
        try {
            threads.check();
            return false;
        } catch (Unmeasured e) {
            return true;
        }
    }

    private static int answerTo(String line, Receiver receiver) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), receiver.port())) {
            socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            return socket.getInputStream().read();
        }
    }
}
