package io.postrider.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** A tar file compressed with xz, as the binaries come. */
final class Archive {

    private static final int EXECUTABLE = 0100;

    private Archive() {}

    static void unpack(InputStream compressed, Path folder) throws IOException {
        Files.createDirectories(folder);
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(compressed)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                write(tar, entry, inside(folder, entry.getName()));
            }
        }
    }

    private static void write(TarArchiveInputStream tar, TarArchiveEntry entry, Path target) throws IOException {
        if (entry.isDirectory()) {
            Files.createDirectories(target);
            return;
        }
        Files.createDirectories(target.getParent());
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
            return;
        }
        Files.copy(tar, target);
        String permissions = (entry.getMode() & EXECUTABLE) == 0 ? "rw-r--r--" : "rwxr-xr-x";
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString(permissions));
    }

    private static Path inside(Path folder, String name) throws IOException {
        Path target = folder.resolve(name).normalize();
        if (!target.startsWith(folder)) {
            throw new IOException("The archive has an entry outside its folder: " + name);
        }
        return target;
    }
}
