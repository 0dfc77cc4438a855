package io.postrider.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts a main class of ours in a JVM of its own, with this class path and the run's database. */
public final class JavaProcess {
    private JavaProcess() {}

    public static Process start(Database database, Class<?> main, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(database.environment());
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }
}
