package io.postrider.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The PostgreSQL processes of one data folder, whoever started them.
 *
 * <p>A process id in {@code postmaster.pid} proves nothing: after a crash the number may belong to anybody. A process
 * is ours only if its working folder is the data folder and its program is postgres, which holds for the postmaster and
 * all its children. A zombie has neither.
 */
final class FolderProcesses {

    private static final Logger LOG = LoggerFactory.getLogger(FolderProcesses.class);

    private final Path data;

    FolderProcesses(Path data) {
        this.data = data;
    }

    /** Ends what an earlier launcher left running, so that two servers never share a folder. */
    void stopOrphans(Duration patience) {
        List<Long> orphans = all();
        if (!orphans.isEmpty()) {
            LOG.warn("Stopping PostgreSQL in {}, whose launcher was killed: processes {}", data, orphans);
        }
        stop(patience);
    }

    /** Ends what runs in the folder, gently if it can, and takes away what would keep a new server from starting. */
    void stop(Duration patience) {
        end(this::postmaster, patience, "INT", "QUIT", "KILL");
        endAll(patience);
        removeStalePid();
    }

    /** Ends what runs in the folder at once, without a checkpoint. */
    void kill(Duration patience) {
        end(this::postmaster, patience, "QUIT", "KILL");
        endAll(patience);
    }

    /** The children of a postmaster that was killed go by themselves, but not always at once. */
    private void endAll(Duration patience) {
        if (!end(this::all, patience, "QUIT", "KILL")) {
            throw new EmbeddedPostgresException(
                    "PostgreSQL in " + data + " does not end, not even by SIGKILL: processes " + all());
        }
    }

    private boolean end(Supplier<List<Long>> targets, Duration patience, String... signals) {
        for (String signal : signals) {
            List<Long> pids = targets.get();
            if (pids.isEmpty()) {
                return true;
            }
            LOG.debug("Sending SIG{} to PostgreSQL {} in {}", signal, pids, data);
            pids.forEach(pid -> Launch.signal(signal, pid));
            if (Await.until(() -> targets.get().isEmpty(), patience)) {
                return true;
            }
        }
        return false;
    }

    /** PostgreSQL itself does this for a dead process, but takes any live one of that number for its own. */
    private void removeStalePid() {
        try {
            long pid = recordedPid();
            if (pid > 0 && ProcessHandle.of(pid).isPresent()) {
                LOG.info("Removing postmaster.pid of {}: process {} is not its server any more", data, pid);
                Files.deleteIfExists(data.resolve("postmaster.pid"));
            }
        } catch (IOException e) {
            throw new EmbeddedPostgresException("The stale postmaster.pid in " + data + " cannot be removed: " + e, e);
        }
    }

    private List<Long> postmaster() {
        long pid = recordedPid();
        return all().stream().filter(candidate -> candidate == pid).toList();
    }

    /** The number in postmaster.pid, or 0 if there is none. */
    private long recordedPid() {
        try (Stream<String> lines = Files.lines(data.resolve("postmaster.pid"))) {
            return lines.findFirst().map(String::strip).map(Long::parseLong).orElse(0L);
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }

    List<Long> all() {
        return ProcessTable.running("postgres", data);
    }
}
