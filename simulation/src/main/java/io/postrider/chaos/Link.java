package io.postrider.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One connection over a {@link Wire}. Thread-safe. */
final class Link implements AutoCloseable {
    private static final int PIECE_BYTES = 1 << 16;

    private final Socket client;
    private final Wire wire;
    private volatile @Nullable Socket server;
    private volatile boolean swallowed;

    /** What a thread does until its socket is closed. */
    @FunctionalInterface
    interface Pump {
        void run() throws Exception;
    }

    Link(Socket client, Wire wire) {
        this.client = client;
        this.wire = wire;
    }

    static void thread(String name, Pump pump) {
        Thread thread = new Thread(
                () -> {
                    try {
                        pump.run();
                    } catch (Exception e) {
                        // Its socket was closed, by one of the ends or by us.
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    void start(int target) {
        thread("link", () -> {
            if (swallowed) {
                pump(client, null);
                return;
            }
            try {
                Socket connected = new Socket(InetAddress.getLoopbackAddress(), target);
                connected.setTcpNoDelay(true);
                server = connected;
                thread("link back", () -> pump(connected, client));
                pump(client, connected);
            } finally {
                ended(client);
            }
        });
    }

    void swallow() {
        swallowed = true;
    }

    private void pump(Socket from, @Nullable Socket to) throws IOException, InterruptedException {
        try {
            byte[] piece = new byte[PIECE_BYTES];
            InputStream in = from.getInputStream();
            for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                Duration delay = wire.delay();
                if (!delay.isZero()) {
                    Pause.of(delay);
                }
                if (to != null && !swallowed) {
                    OutputStream out = to.getOutputStream();
                    out.write(piece, 0, length);
                }
            }
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
