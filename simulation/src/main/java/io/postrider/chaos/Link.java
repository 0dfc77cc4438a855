package io.postrider.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One connection over a {@link Wire}. Thread-safe. */
final class Link implements AutoCloseable {
    private static final int PIECE_BYTES = 1 << 16;

    private final Socket client;
    private final Wire wire;
    private final HarnessThreads threads;
    private volatile @Nullable Socket server;
    private volatile boolean swallowed;

    Link(Socket client, Wire wire, HarnessThreads threads) {
        this.client = client;
        this.wire = wire;
        this.threads = threads;
    }

    void start(int target) {
        threads.start("link", () -> {
            if (swallowed) {
                pump(client, null);
            } else {
                connect(target);
            }
        });
    }

    private void connect(int target) throws InterruptedException {
        try {
            Socket connected = new Socket(InetAddress.getLoopbackAddress(), target);
            server = connected;
            client.setTcpNoDelay(true);
            connected.setTcpNoDelay(true);
            threads.start("link back", () -> pump(connected, client));
            pump(client, connected);
        } catch (IOException e) {
            // PostgreSQL is down, of which the client learns by the end of its connection.
        } finally {
            ended(client);
        }
    }

    void swallow() {
        swallowed = true;
    }

    private void pump(Socket from, @Nullable Socket to) throws InterruptedException {
        try {
            byte[] piece = new byte[PIECE_BYTES];
            InputStream in = from.getInputStream();
            for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                Duration delay = wire.delay();
                if (!delay.isZero()) {
                    Pause.of(delay);
                    wire.delayed();
                }
                if (to == null || swallowed) {
                    wire.swallowed(length);
                } else {
                    to.getOutputStream().write(piece, 0, length);
                }
            }
        } catch (IOException e) {
            // One of the ends is gone, of which the other learns now.
        } finally {
            ended(from);
        }
    }

    /** The end of one side reaches the other, unless the wire swallows that too. */
    private void ended(Socket side) {
        if (swallowed) {
            closeQuietly(side);
        } else {
            close();
        }
    }

    boolean open() {
        return !client.isClosed();
    }

    @Override
    public void close() {
        closeQuietly(client);
        closeQuietly(server);
    }

    private static void closeQuietly(@Nullable Socket socket) {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            // It is closed all the same.
        }
    }
}
