package io.postrider.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a server keeps its data and how it is started. Immutable.
 *
 * @param folder the server's own folder: data, log, password and lock; created if missing
 * @param port the port on 127.0.0.1, or 0 for a free one
 * @param settings postgresql.conf settings, passed on the command line so that they win over the file
 * @param startTimeout how long a start may take, crash recovery included
 * @param stopTimeout how long each step of a stop (INT, then QUIT, then KILL) may take
 * @param home an installed PostgreSQL to run; null for the one on the class path, or what
 *     {@code POSTRIDER_POSTGRES_HOME} names
 */
public record EmbeddedPostgresConfig(
        Path folder,
        int port,
        Map<String, String> settings,
        Duration startTimeout,
        Duration stopTimeout,
        @Nullable Path home) {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);
    private static final int PORT_MAX = 65_535;

    /** Settings the launcher decides: another value would lead it to another server, or to no log. */
    private static final Set<String> RESERVED = Set.of(
            "config_file",
            "data_directory",
            "external_pid_file",
            "hba_file",
            "ident_file",
            "listen_addresses",
            "logging_collector",
            "port",
            "unix_socket_directories");

    public EmbeddedPostgresConfig {
        if (port < 0 || port > PORT_MAX) {
            throw new IllegalArgumentException("port must be 0 to " + PORT_MAX + ", not " + port);
        }
        if (startTimeout.isNegative() || startTimeout.isZero()) {
            throw new IllegalArgumentException("startTimeout must be positive, not " + startTimeout);
        }
        if (stopTimeout.isNegative() || stopTimeout.isZero()) {
            throw new IllegalArgumentException("stopTimeout must be positive, not " + stopTimeout);
        }
        for (String name : settings.keySet()) {
            if (RESERVED.contains(name.toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException("the setting " + name + " is chosen by the launcher");
            }
        }
        settings = Map.copyOf(settings);
    }

    /** Kept data in this folder, a free port, full durability. */
    public static EmbeddedPostgresConfig in(Path folder) {
        return new EmbeddedPostgresConfig(folder, 0, Map.of(), START_TIMEOUT, STOP_TIMEOUT, null);
    }

    public EmbeddedPostgresConfig port(int port) {
        return new EmbeddedPostgresConfig(folder, port, settings, startTimeout, stopTimeout, home);
    }

    public EmbeddedPostgresConfig setting(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(settings);
        more.put(name, value);
        return new EmbeddedPostgresConfig(folder, port, more, startTimeout, stopTimeout, home);
    }

    /** With the programs of an installed PostgreSQL. */
    public EmbeddedPostgresConfig home(Path home) {
        return new EmbeddedPostgresConfig(folder, port, settings, startTimeout, stopTimeout, home);
    }
}
