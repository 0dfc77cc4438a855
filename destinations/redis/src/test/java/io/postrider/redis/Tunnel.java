package io.postrider.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A way to a server on which connections can go silent, as when a firewall forgets them: none is closed. */
final class Tunnel implements AutoCloseable {
    private final int port;
    private final ServerSocket entrance;
    private final List<Passage> passages = new CopyOnWriteArrayList<>();

    private Tunnel(int port, ServerSocket entrance) {
        this.port = port;
        this.entrance = entrance;
    }

    static Tunnel to(int port) {
        try {
            Tunnel tunnel = new Tunnel(port, new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
            run(tunnel::accept);
            return tunnel;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return entrance.getLocalPort();
    }

    /** Nothing gets through on the connections there are; others can be made. */
    void silence() {
        passages.forEach(passage -> passage.silent = true);
    }

    private void accept() throws IOException {
        while (!entrance.isClosed()) {
            Socket here = entrance.accept();
            Passage passage = new Passage(here, new Socket(InetAddress.getLoopbackAddress(), port));
            passages.add(passage);
            run(() -> passage.carry(passage.here, passage.there));
            run(() -> passage.carry(passage.there, passage.here));
        }
    }

    private static void run(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                // It was closed.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            entrance.close();
            for (Passage passage : passages) {
                passage.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a thread does until a socket is closed. */
    private interface Work {
        void run() throws IOException;
    }

    /** One connection. */
    private static final class Passage {
        final Socket here;
        final Socket there;
        volatile boolean silent;

        Passage(Socket here, Socket there) {
            this.here = here;
            this.there = there;
        }

        void carry(Socket from, Socket to) throws IOException {
            byte[] bytes = new byte[8192];
            for (int read = 0; read >= 0; read = from.getInputStream().read(bytes)) {
                if (!silent) {
                    to.getOutputStream().write(bytes, 0, read);
                }
            }
            close();
        }

        void close() throws IOException {
            here.close();
            there.close();
        }
    }
}
