package io.postrider.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Which processes run a program in a folder: read from /proc, or from lsof where there is none (macOS). */
final class ProcessTable {

    private static final Path PROC = Path.of("/proc");

    private ProcessTable() {}

    static List<Long> running(String program, Path folder) {
        if (!Files.isDirectory(PROC.resolve("self"))) {
            return listed(program, folder);
        }
        return ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .filter(pid -> runs(pid, program, folder))
                .toList();
    }

    /** A process that ended meanwhile, is a zombie or belongs to another user cannot be read: it is not ours. */
    private static boolean runs(long pid, String program, Path folder) {
        Path process = PROC.resolve(Long.toString(pid));
        try {
            return Files.isSameFile(process.resolve("cwd"), folder)
                    && isProgram(Files.readSymbolicLink(process.resolve("exe")), program);
        } catch (IOException e) {
            return false;
        }
    }

    /** The kernel marks a program whose file was replaced or deleted since it started. */
    private static boolean isProgram(Path executable, String program) {
        String name = executable.getFileName().toString();
        return name.equals(program) || name.equals(program + " (deleted)");
    }

    private static List<Long> listed(String program, Path folder) {
        try {
            Process lsof = new ProcessBuilder("lsof", "-a", "-c", program, "-d", "cwd", "-Fpn")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String output = new String(lsof.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return parse(output, folder);
        } catch (IOException e) {
            throw new EmbeddedPostgresException("lsof is needed to see which PostgreSQL runs in " + folder, e);
        }
    }

    /** lsof's field output: a line {@code pNUMBER} per process, then {@code nPATH} for its working folder. */
    static List<Long> parse(String output, Path folder) {
        List<Long> pids = new ArrayList<>();
        long pid = 0;
        for (String line : output.lines().toList()) {
            if (line.startsWith("p")) {
                pid = Long.parseLong(line.substring(1));
            } else if (line.startsWith("n") && Path.of(line.substring(1)).equals(folder)) {
                pids.add(pid);
            }
        }
        return List.copyOf(pids);
    }
}
