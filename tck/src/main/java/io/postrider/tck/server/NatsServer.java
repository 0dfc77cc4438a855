package io.postrider.tck.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A NATS server with JetStream on loopback, and its storage, which can be copied and put back while it does not run.
 * Not thread-safe.
 */
public final class NatsServer implements AutoCloseable {
    private final LocalServer server;
    private final Path storage;

    private NatsServer(Path folder, String name, int port, String configuration) {
        this.storage = folder.resolve(name).resolve("storage");
        Path file = folder.resolve(name).resolve("nats.conf");
        write(file, """
                server_name: "%s"
                host: "127.0.0.1"
                port: %d
                jetstream { store_dir: "%s" }
                %s
                """.formatted(name, port, storage, configuration));
        Path log = folder.resolve(name).resolve("nats.log");
        this.server = new LocalServer("nats-server", "nats-server", List.of("-c", file.toString()), port, log);
    }

    /** A server with its data in this folder, not started yet. */
    public static NatsServer in(Path folder) {
        return in(folder, "");
    }

    /**
     * A server with its data in this folder, not started yet.
     *
     * @param configuration further lines of its configuration file: {@code tls}, {@code authorization}, …
     */
    public static NatsServer in(Path folder, String configuration) {
        return new NatsServer(folder, "nats", Ports.free(), configuration);
    }

    /** Servers that know each other, not started yet. */
    public static List<NatsServer> cluster(Path folder, int size) {
        List<Integer> ports = Stream.generate(Ports::free).limit(size * 2L).toList();
        String routes = ports.subList(size, size * 2).stream()
                .map(port -> "nats-route://127.0.0.1:" + port)
                .collect(Collectors.joining(", "));
        return IntStream.range(0, size)
                .mapToObj(i ->
                        new NatsServer(folder, "nats-" + i, ports.get(i), """
                        cluster { name: "tests", host: "127.0.0.1", port: %d, routes: [ %s ] }
                        """.formatted(ports.get(size + i), routes)))
                .toList();
    }

    public NatsServer start() {
        server.start();
        return this;
    }

    /** The process: to kill, stop and pause it. */
    public LocalServer process() {
        return server;
    }

    public String url() {
        return "nats://127.0.0.1:" + server.port();
    }

    /** Where its streams are. */
    public Path storage() {
        return storage;
    }

    /** Copies its storage, as a backup does. It must not run. */
    public void copyStorageTo(Path copy) {
        requireStopped();
        Folders.copy(storage, copy);
    }

    /** Puts an earlier copy in the place of its storage. It must not run. */
    public void putBackStorage(Path copy) {
        requireStopped();
        Folders.delete(storage);
        Folders.copy(copy, storage);
    }

    /**
     * Puts the messages of an earlier copy in the place of those of its streams, and leaves the consumers as they are:
     * the streams have gone back behind them. It must not run.
     */
    public void putBackMessages(Path copy) {
        requireStopped();
        try (var paths = Files.walk(copy)) {
            for (Path messages : paths.filter(path -> path.endsWith("msgs")).toList()) {
                Path target = storage.resolve(copy.relativize(messages));
                Folders.delete(target);
                Folders.copy(messages, target);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void requireStopped() {
        if (server.isRunning()) {
            throw new IllegalStateException("nats-server runs, as process " + server.pid() + ": stop it first");
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
