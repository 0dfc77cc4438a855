package io.postrider.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/** What a trial has opened: closed last first, also when the program is interrupted. Thread-safe. */
final class Parts implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Thread hook = new Thread(this::closeAll);

    Parts() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    <T extends AutoCloseable> T opened(T part) {
        synchronized (open) {
            open.push(part);
        }
        return part;
    }

    /** A temporary folder, which is gone when this is closed. */
    Path folder() throws IOException {
        Path folder = Files.createTempDirectory("postrider-chaos-");
        opened(() -> delete(folder));
        return folder;
    }

    /** Deletes a folder with all that is in it, if it is there. */
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        List<Path> files;
        try (Stream<Path> walk = Files.walk(folder)) {
            files = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
    }

    @Override
    public void close() {
        closeAll();
        Runtime.getRuntime().removeShutdownHook(hook);
    }

    /** Each whatever the others do. */
    private void closeAll() {
        synchronized (open) {
            while (!open.isEmpty()) {
                try {
                    open.pop().close();
                } catch (Exception e) {
                    System.err.println("A part of the trial could not be closed: " + e);
                }
            }
        }
    }
}
