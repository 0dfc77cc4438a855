package io.postrider.tck.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PortsTest {

    @Test
    void no_port_is_given_out_twice() {
        assertThat(Stream.generate(Ports::free).limit(200)).doesNotHaveDuplicates();
    }

    @Test
    void a_port_where_somebody_listens_is_left_out() throws IOException {
        try (ServerSocket taken = listenBehind(Ports.free())) {
            assertThat(Ports.free()).isNotEqualTo(taken.getLocalPort());
        }
    }

    /** On the next port after this one that no other process has. */
    private static ServerSocket listenBehind(int port) throws IOException {
        try {
            return new ServerSocket(port + 1, 1, InetAddress.getLoopbackAddress());
        } catch (BindException e) {
            return listenBehind(port + 1);
        }
    }
}
