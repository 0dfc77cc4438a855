package io.postrider.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a server that sends back what it gets. */
class WireTest {
    private static final int PATIENCE_MILLIS = 30_000;
    private static final int SILENCE_MILLIS = 300;

    private final HarnessThreads threads = new HarnessThreads();
    private ServerSocket echo;
    private Wire wire;

    @BeforeEach
    void open() throws IOException {
        echo = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        threads.accept("echo", echo, client -> threads.start("echo of one", () -> echo(client)));
        wire = Wire.to(echo.getLocalPort(), threads);
    }

    @AfterEach
    void close() throws IOException, Unmeasured {
        wire.close();
        echo.close();
        threads.check();
    }

    private static void echo(Socket client) {
        try {
            client.getInputStream().transferTo(client.getOutputStream());
        } catch (IOException e) {
            // The wire has closed it.
        }
    }

    @Test
    void what_is_sent_gets_through() throws IOException {
        try (Socket socket = connect()) {
            assertThat(echoed(socket, 42)).isEqualTo(42);
        }
    }

    @Test
    void a_delay_counts_in_each_direction() throws IOException {
        wire.delay(Duration.ofMillis(100));
        try (Socket socket = connect()) {
            Moment begin = Moment.now();
            echoed(socket, 42);
            assertThat(begin.age()).isGreaterThanOrEqualTo(Duration.ofMillis(200));
            assertThat(wire.delayedPieces()).isEqualTo(2);
        }
    }

    @Test
    void a_connection_that_was_cut_ends_and_a_new_one_works() throws IOException {
        try (Socket socket = connect()) {
            echoed(socket, 1);
            wire.cut();
            assertThat(wire.cutConnections()).isEqualTo(1);
            assertThatThrownBy(() -> {
                        if (echoed(socket, 2) < 0) {
                            throw new IOException("end");
                        }
                    })
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(SocketTimeoutException.class);
        }
        try (Socket socket = connect()) {
            assertThat(echoed(socket, 3)).isEqualTo(3);
        }
    }

    @Test
    void a_swallowed_connection_stays_open_and_silent_also_when_new_ones_work_again() throws IOException {
        try (Socket old = connect()) {
            echoed(old, 1);
            wire.swallow();
            assertSilence(old, 2);
            assertThat(wire.swallowedBytes()).isEqualTo(1);
            try (Socket meanwhile = connect()) {
                assertSilence(meanwhile, 2);
            }
            wire.heal();
            assertSilence(old, 3);
            try (Socket fresh = connect()) {
                assertThat(echoed(fresh, 4)).isEqualTo(4);
            }
        }
    }

    @Test
    void a_fenced_wire_ends_every_connection_until_it_leads_to_another_server() throws IOException {
        try (Socket socket = connect();
                ServerSocket other = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            echoed(socket, 1);
            wire.fence();
            assertThat(hasEnded(socket)).isTrue();
            try (Socket meanwhile = connect()) {
                assertThat(hasEnded(meanwhile)).isTrue();
            }
            threads.accept(
                    "other",
                    other,
                    client -> threads.start("other's", () -> {
                        client.getOutputStream().write(9);
                        client.close();
                    }));
            wire.leadTo(other.getLocalPort());
            try (Socket fresh = connect()) {
                assertThat(fresh.getInputStream().read()).isEqualTo(9);
            }
        }
    }

    private static boolean hasEnded(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), wire.port());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static void assertSilence(Socket socket, int value) throws IOException {
        socket.setSoTimeout(SILENCE_MILLIS);
        assertThatThrownBy(() -> echoed(socket, value)).isInstanceOf(SocketTimeoutException.class);
    }

    private static int echoed(Socket socket, int value) throws IOException {
        socket.getOutputStream().write(value);
        return socket.getInputStream().read();
    }
}
