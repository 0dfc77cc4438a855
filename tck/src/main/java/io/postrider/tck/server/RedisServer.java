package io.postrider.tck.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A Redis server of our own on loopback, which writes everything to an append-only file: what it has acknowledged is
 * there again after {@link #kill} and {@link #start}. It may still be loading when it takes connections. Not
 * thread-safe.
 */
public final class RedisServer implements AutoCloseable {
    private final LocalServer server;

    private RedisServer(LocalServer server) {
        this.server = server;
    }

    /** One that keeps its data in this folder, on a port that is free now. */
    public static Setup in(Path folder) {
        return new Setup(folder, Ports.free(), List.of());
    }

    public int port() {
        return server.port();
    }

    public RedisServer start() {
        server.start();
        return this;
    }

    /** Ends it as a crash does. */
    public void kill() {
        server.kill();
    }

    public void stop() {
        server.stop();
    }

    public boolean isRunning() {
        return server.isRunning();
    }

    /** Stops its time: connections stay open, and nothing is answered. */
    public void pauseProcess() {
        server.pauseProcess();
    }

    public void resumeProcess() {
        server.resumeProcess();
    }

    @Override
    public void close() {
        server.close();
    }

    /** How it is to be set up, as lines of its configuration file: no password is seen in a list of processes. */
    public record Setup(Path folder, int port, List<String> lines) {
        public Setup {
            lines = List.copyOf(lines);
        }

        /** One more line of the configuration. */
        public Setup line(String line) {
            List<String> more = new ArrayList<>(lines);
            more.add(line);
            return new Setup(folder, port, more);
        }

        public Setup password(String password) {
            return line("requirepass " + password);
        }

        /** What it may use, as Redis writes it, such as {@code 2mb}; beyond that it refuses writes. */
        public Setup maxmemory(String size) {
            return line("maxmemory " + size).line("maxmemory-policy noeviction");
        }

        /** Follows another server of ours. */
        public Setup replicaOf(RedisServer primary) {
            return line("replicaof 127.0.0.1 " + primary.port());
        }

        /** Speaks TLS only, and wants a certificate of each client if {@code mutual}. All files are PEM. */
        public Setup tls(Path authority, Path certificate, Path key, boolean mutual) {
            return line("port 0")
                    .line("tls-port " + port)
                    .line("tls-ca-cert-file " + authority)
                    .line("tls-cert-file " + certificate)
                    .line("tls-key-file " + key)
                    .line("tls-auth-clients " + (mutual ? "yes" : "no"));
        }

        public RedisServer start() {
            Path configuration = folder.resolve("redis.conf");
            try {
                Files.createDirectories(folder);
                Files.write(configuration, configuration());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            List<String> arguments = List.of(configuration.toString());
            Path log = folder.resolve("redis.log");
            return new RedisServer(new LocalServer("redis-server", "redis-server", arguments, port, log)).start();
        }

        private List<String> configuration() {
            List<String> all = new ArrayList<>(List.of(
                    "bind 127.0.0.1",
                    "port " + port,
                    "dir " + folder,
                    "daemonize no",
                    "save \"\"",
                    "appendonly yes",
                    "appendfsync everysec"));
            all.addAll(lines);
            return all;
        }
    }
}
