package io.postrider.embedded;

import com.sun.security.auth.module.UnixSystem;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How PostgreSQL's programs are started. They refuse to run as root, so root starts them in a user namespace without
 * any mapping, where they see themselves as nobody and yet own the same files.
 */
final class Launch {

    private static final List<String> NAMESPACE = List.of("unshare", "-U");

    private Launch() {}

    /** In the session of this process, so that Ctrl-C ends it too. */
    static ProcessBuilder program(Path program, List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (new UnixSystem().getUid() == 0) {
            requireNamespaces();
            command.addAll(NAMESPACE);
        }
        command.add(program.toString());
        command.addAll(arguments);
        return builder(command);
    }

    /** In a session of its own, so that Ctrl-C does not reach it. Each step is an exec: the process id stays. */
    static ProcessBuilder detached(Path program, List<String> arguments) {
        ProcessBuilder builder = program(program, arguments);
        List<String> command = new ArrayList<>(session());
        command.addAll(builder.command());
        return builder.command(command);
    }

    private static List<String> session() {
        return Files.isDirectory(Path.of("/proc/self"))
                ? List.of("setsid")
                : List.of("perl", "-e", "use POSIX; POSIX::setsid(); exec(@ARGV) or die $!");
    }

    private static ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectInput(new File("/dev/null"));
        builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
        builder.environment().put("LC_ALL", "C");
        return builder;
    }

    private static void requireNamespaces() {
        List<String> probe = new ArrayList<>(NAMESPACE);
        probe.add("true");
        if (exitCode(probe) != 0) {
            throw new EmbeddedPostgresException("PostgreSQL refuses to run as root, and this system does not let root"
                    + " give it a user namespace (unshare -U failed): run this program as an ordinary user.");
        }
    }

    static void signal(String signal, long pid) {
        // The shell's own kill, since the program of that name is missing on small systems. Failure means it is gone.
        exitCode(List.of("sh", "-c", "kill -\"$0\" \"$1\"", signal, Long.toString(pid)));
    }

    private static int exitCode(List<String> command) {
        try {
            Process process = builder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.onExit().join().exitValue();
        } catch (IOException e) {
            return -1;
        }
    }
}
