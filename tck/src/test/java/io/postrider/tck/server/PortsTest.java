package io.postrider.tck.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PortsTest {

    @Test
    void noPortIsGivenOutTwice() {
        assertThat(Stream.generate(Ports::free).limit(200)).doesNotHaveDuplicates();
    }

    @Test
    void aPortWhereSomebodyListensIsLeftOut() throws IOException {
        int next = Ports.free() + 1;
        try (ServerSocket taken = new ServerSocket(next, 1, InetAddress.getLoopbackAddress())) {
            assertThat(Ports.free()).isNotEqualTo(taken.getLocalPort());
        }
    }
}
