package io.postrider.chaos;

import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.embedded.EmbeddedPostgresConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/** A durable PostgreSQL in a temporary folder, which goes down in several ways and comes back on the same port. */
final class Server implements Postgres {
    private final EmbeddedPostgresConfig config;
    private EmbeddedPostgres postgres;

    private Server(EmbeddedPostgresConfig config, EmbeddedPostgres postgres) {
        this.config = config;
        this.postgres = postgres;
    }

    static Server start(Map<String, String> settings) throws IOException {
        Path folder = Files.createTempDirectory("postrider-chaos-");
        EmbeddedPostgresConfig config = EmbeddedPostgresConfig.in(folder);
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            config = config.setting(setting.getKey(), setting.getValue());
        }
        EmbeddedPostgres postgres = EmbeddedPostgres.start(config);
        return new Server(config.port(postgres.port()), postgres);
    }

    @Override
    public Database database() {
        return new Database(config.port(), postgres.user(), postgres.password());
    }

    /** How often its log says this. */
    long logged(String text) throws IOException {
        try (Stream<String> lines = Files.lines(config.folder().resolve("postgres.log"))) {
            return lines.filter(line -> line.contains(text)).count();
        }
    }

    /** Stops it as an operator would, and starts it again; returns when it accepts connections. */
    synchronized void restart() {
        postgres.stop();
        postgres = EmbeddedPostgres.start(config);
    }

    /** SIGKILLs the postmaster, ends what is left of it, and starts it again, which recovers from the WAL. */
    synchronized void crash() throws IOException, InterruptedException {
        Signal.KILL.send(postgres.pid());
        postgres.kill();
        postgres = EmbeddedPostgres.start(config);
    }

    /** A second call does nothing. */
    @Override
    public synchronized void close() throws IOException {
        postgres.stop();
        Parts.delete(config.folder());
    }
}
