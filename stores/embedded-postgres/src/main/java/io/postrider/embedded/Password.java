package io.postrider.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;

/** The superuser's password: drawn once, kept in a file that only its user can read. */
final class Password {

    static final String FILE = "password";

    private static final int RANDOM_BYTES = 24;

    private Password() {}

    static String in(Path folder, boolean initialised) throws IOException {
        Path file = folder.resolve(FILE);
        if (Files.exists(file)) {
            return Files.readString(file).strip();
        }
        if (initialised) {
            throw new EmbeddedPostgresException("The file " + file
                    + " is missing, and the data beside it cannot be opened without it: restore it.");
        }
        write(file, draw());
        return Files.readString(file).strip();
    }

    /** Forced to disk before initdb uses it: data that survives a power failure is of no use without it. */
    private static void write(Path file, String password) throws IOException {
        Path unfinished = file.resolveSibling(FILE + ".new");
        Files.deleteIfExists(unfinished);
        Files.createFile(
                unfinished, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(unfinished, password + "\n", StandardOpenOption.WRITE, StandardOpenOption.SYNC);
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String draw() {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }
}
