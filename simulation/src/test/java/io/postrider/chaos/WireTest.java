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
    private static final int SILENCE_MILLIS = 300;

    private ServerSocket echo;
    private Wire wire;

    @BeforeEach
    void open() throws IOException {
        echo = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        Link.thread("echo", () -> {
            while (true) {
                Socket client = echo.accept();
                Link.thread("echo of one", () -> client.getInputStream().transferTo(client.getOutputStream()));
            }
        });
        wire = Wire.to(echo.getLocalPort());
    }

    @AfterEach
    void close() throws IOException {
        wire.close();
        echo.close();
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
        }
    }

    @Test
    void a_connection_that_was_cut_ends_and_a_new_one_works() throws IOException {
        try (Socket socket = connect()) {
            echoed(socket, 1);
            wire.cut();
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
            assertThatThrownBy(() -> echoed(old, 2)).isInstanceOf(SocketTimeoutException.class);
            try (Socket meanwhile = connect()) {
                assertThatThrownBy(() -> echoed(meanwhile, 2)).isInstanceOf(SocketTimeoutException.class);
            }
            wire.heal();
            assertThatThrownBy(() -> echoed(old, 3)).isInstanceOf(SocketTimeoutException.class);
            try (Socket fresh = connect()) {
                assertThat(echoed(fresh, 4)).isEqualTo(4);
            }
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), wire.port());
        socket.setSoTimeout(SILENCE_MILLIS);
        return socket;
    }

    private static int echoed(Socket socket, int value) throws IOException {
        socket.getOutputStream().write(value);
        return socket.getInputStream().read();
    }
}
