package io.postrider.webhook;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that does with a connection whatever it is told, well or badly. */
final class RawServer implements AutoCloseable {
    private final ServerSocket listener;
    private final Behaviour behaviour;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** What it does with a connection. */
    interface Behaviour {
        void with(Socket socket) throws IOException;
    }

    private RawServer(Behaviour behaviour) {
        this.behaviour = behaviour;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::accept);
    }

    static RawServer that(Behaviour behaviour) {
        return new RawServer(behaviour);
    }

    /** Reads each request, answers with this text, and closes. */
    static RawServer answers(String text) {
        return that(socket -> {
            readRequest(socket);
            write(socket, text);
            socket.close();
        });
    }

    /** Reads one request, as far as its length says. */
    static boolean readRequest(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = in.read();
            if (c < 0) {
                return false;
            }
            head.append((char) c);
        }
        String length = head.toString().replaceAll("(?is).*content-length: (\\d+).*", "$1");
        in.readNBytes(Integer.parseInt(length));
        return true;
    }

    static void write(Socket socket, String text) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                open.add(socket);
                connections.incrementAndGet();
                threads.execute(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try {
            behaviour.with(socket);
        } catch (IOException e) {
            // The other side has gone, which is what some tests are about.
        }
    }

    int connections() {
        return connections.get();
    }

    String url() {
        return "http://localhost:" + listener.getLocalPort() + "/";
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            threads.shutdownNow();
        }
    }
}
