package io.postrider.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The data folder as initdb makes it. It gets its name only when it is complete. */
final class Cluster {

    static final String SUPERUSER = "postgres";

    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
    private static final String UNFINISHED = "data.new-";

    /** A locale that knows upper and lower case beyond ASCII, and comes with the server itself. */
    private static final List<String> BUILTIN_LOCALE = List.of("--locale-provider=builtin", "--builtin-locale=C.UTF-8");

    private static final int BUILTIN_LOCALE_SINCE = 17;

    private Cluster() {}

    static void createIfMissing(Path binaries, ServerFolder folder, Duration timeout) {
        if (Files.exists(folder.data())) {
            return;
        }
        try {
            deleteUnfinished(folder.path());
            Path unfinished = folder.path().resolve(UNFINISHED + UUID.randomUUID());
            initialise(binaries, folder, unfinished, timeout);
            Files.move(unfinished, folder.data(), StandardCopyOption.ATOMIC_MOVE);
            force(folder.path());
        } catch (IOException e) {
            throw new EmbeddedPostgresException("No database could be created in " + folder.path() + ": " + e, e);
        }
    }

    private static void initialise(Path binaries, ServerFolder folder, Path unfinished, Duration timeout)
            throws IOException {
        ServerLog log = ServerLog.open(folder.log());
        List<String> arguments = new ArrayList<>(arguments(folder, unfinished));
        if (Binaries.majorVersion(binaries) >= BUILTIN_LOCALE_SINCE) {
            arguments.addAll(BUILTIN_LOCALE);
        }
        Process initdb = Launch.program(binaries.resolve("bin/initdb"), arguments)
                .redirectErrorStream(true)
                .redirectOutput(log.appended())
                .start();
        boolean ended = Await.until(() -> !initdb.isAlive(), timeout);
        initdb.destroyForcibly();
        if (!ended || initdb.exitValue() != 0) {
            throw new EmbeddedPostgresException(
                    "initdb " + (ended ? "failed" : "did not end within " + timeout) + ":\n" + log.tail());
        }
    }

    /** Text sorts by code point everywhere, whatever locale the machine has. */
    private static List<String> arguments(ServerFolder folder, Path unfinished) {
        return List.of(
                "--pgdata=" + unfinished,
                "--username=" + SUPERUSER,
                "--auth=scram-sha-256",
                "--pwfile=" + folder.passwordFile(),
                "--encoding=UTF8",
                "--locale=C");
    }

    /** An initdb that outlived its launcher may still be writing there: then the rest stays for the next time. */
    private static void deleteUnfinished(Path folder) throws IOException {
        try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(folder, UNFINISHED + "*")) {
            for (Path leftover : leftovers) {
                try {
                    FileTree.delete(leftover);
                } catch (UncheckedIOException e) {
                    LOG.warn("An unfinished database is left behind, and takes only space", e);
                }
            }
        }
    }

    private static void force(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
