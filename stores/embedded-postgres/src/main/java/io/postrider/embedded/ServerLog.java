package io.postrider.embedded;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** The log of the server, seen from where this start began. */
final class ServerLog {

    private static final long SIZE_MAX = 8L * 1024 * 1024;
    private static final long TAIL_BYTES_MAX = 16L * 1024;
    private static final int TAIL_LINES_MAX = 20;

    private final Path file;
    private final long begin;

    private ServerLog(Path file, long begin) {
        this.file = file;
        this.begin = begin;
    }

    /** The log to append to; a large one is put aside first, and replaces the one put aside before. */
    static ServerLog open(Path file) throws IOException {
        long size = Files.exists(file) ? Files.size(file) : 0;
        if (size <= SIZE_MAX) {
            return new ServerLog(file, size);
        }
        Files.move(file, file.resolveSibling(file.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
        return new ServerLog(file, 0);
    }

    ProcessBuilder.Redirect appended() {
        return ProcessBuilder.Redirect.appendTo(file.toFile());
    }

    String tail() {
        File log = file.toFile();
        try (RandomAccessFile in = new RandomAccessFile(log, "r")) {
            long from = Math.max(begin, in.length() - TAIL_BYTES_MAX);
            byte[] bytes = new byte[(int) Math.max(0, in.length() - from)];
            in.seek(from);
            in.readFully(bytes);
            List<String> lines =
                    new String(bytes, StandardCharsets.UTF_8).lines().toList();
            return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES_MAX), lines.size()));
        } catch (IOException e) {
            return "(the log " + file + " could not be read: " + e + ")";
        }
    }
}
