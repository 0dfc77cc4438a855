package io.postrider.embedded;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The folder of one server, private to its user and locked by one launcher at a time. */
final class ServerFolder implements AutoCloseable {

    private static final String LOCK = "lock";

    /**
     * Folders held by this process. The operating system's lock knows processes only, and closing a second channel on
     * the same file would even release it.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path folder;
    private final FileChannel lock;
    private final String password;

    private ServerFolder(Path folder, FileChannel lock, String password) {
        this.folder = folder;
        this.lock = lock;
        this.password = password;
    }

    static ServerFolder open(Path path) {
        try {
            Path folder = prepare(path.toAbsolutePath());
            if (!HELD.add(folder)) {
                throw inUse(folder);
            }
            return locked(folder);
        } catch (IOException e) {
            throw new EmbeddedPostgresException("PostgreSQL cannot use the folder " + path + ": " + e, e);
        }
    }

    private static ServerFolder locked(Path folder) throws IOException {
        boolean opened = false;
        FileChannel lock = null;
        try {
            lock = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (lock.tryLock() == null) {
                throw inUse(folder);
            }
            boolean initialised = Files.exists(folder.resolve("data"));
            ServerFolder result = new ServerFolder(folder, lock, Password.in(folder, initialised));
            opened = true;
            return result;
        } finally {
            if (!opened) {
                if (lock != null) {
                    lock.close();
                }
                HELD.remove(folder);
            }
        }
    }

    private static Path prepare(Path path) throws IOException {
        if (!Files.exists(path)) {
            Files.createDirectories(path.getParent());
            Files.createDirectory(path);
        }
        Path folder = path.toRealPath();
        requireOwn(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        return folder;
    }

    /** The folder is made private below, which nobody wants to happen to a home folder or to {@code /tmp}. */
    private static void requireOwn(Path folder) throws IOException {
        int owner = (int) Files.getAttribute(folder, "unix:uid");
        long user = new UnixSystem().getUid();
        if (owner != user) {
            throw new EmbeddedPostgresException("The folder " + folder + " belongs to the user " + owner
                    + ", and this process runs as " + user + ": use a folder of your own.");
        }
        try (Stream<Path> entries = Files.list(folder)) {
            if (!Files.exists(folder.resolve(LOCK)) && entries.findAny().isPresent()) {
                throw new EmbeddedPostgresException("The folder " + folder
                        + " holds files that are not PostgreSQL's: give the server a folder of its own.");
            }
        }
    }

    private static EmbeddedPostgresException inUse(Path folder) {
        return new EmbeddedPostgresException(
                "The folder " + folder + " is in use by another launcher: stop it first, or use another folder.");
    }

    Path path() {
        return folder;
    }

    Path data() {
        return folder.resolve("data");
    }

    Path log() {
        return folder.resolve("postgres.log");
    }

    Path passwordFile() {
        return folder.resolve(Password.FILE);
    }

    String password() {
        return password;
    }

    /** Releases the lock; the files stay. A second call does nothing. */
    @Override
    public synchronized void close() {
        if (!lock.isOpen()) {
            return;
        }
        try {
            lock.close();
        } catch (IOException e) {
            throw new EmbeddedPostgresException("The lock of " + folder + " could not be released: " + e, e);
        } finally {
            HELD.remove(folder);
        }
    }
}
