package io.postrider.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CrashTest {

    private static final int NUMBERS_BEFORE_THE_CRASH = 200;

    @TempDir
    Path folder;

    @Test
    void after_the_jvm_was_killed_the_next_start_stops_the_orphan_and_has_every_acknowledged_row() throws Exception {
        WriterProcess writer = writing();
        long last = writer.kill();
        assertThat(isRunning(writer.postmaster())).as("the server was orphaned").isTrue();

        assertNothingLost(last);
        assertThat(isRunning(writer.postmaster())).as("the orphan was stopped").isFalse();
    }

    @Test
    void after_the_postmaster_was_killed_the_next_start_has_every_acknowledged_row() throws Exception {
        WriterProcess writer = writing();
        Launch.signal("KILL", writer.postmaster());
        long last = writer.kill();

        assertNothingLost(last);
    }

    @Test
    void after_everything_was_killed_an_immediate_start_has_every_acknowledged_row() throws Exception {
        WriterProcess writer = writing();
        List<Long> processes = processes();
        assertThat(processes).hasSizeGreaterThan(1).contains(writer.postmaster());
        long last = writer.kill();
        processes.forEach(pid -> Launch.signal("KILL", pid));

        assertNothingLost(last);
    }

    @Test
    void a_server_whose_postmaster_was_killed_can_be_stopped_and_started_again() throws Exception {
        EmbeddedPostgres server = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(folder));
        Launch.signal("KILL", server.pid());
        server.stop();

        assertThat(server.alive()).isFalse();
        assertThat(processes()).isEmpty();
        try (EmbeddedPostgres next = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(folder))) {
            assertThat(next.alive()).isTrue();
        }
    }

    @Test
    void a_stale_process_id_that_now_belongs_to_somebody_else_leaves_him_alone() throws Exception {
        EmbeddedPostgres.start(EmbeddedPostgresConfig.in(folder)).close();
        Process somebody = new ProcessBuilder("cat").start();
        Path data = folder.toRealPath().resolve("data");
        Files.writeString(data.resolve("postmaster.pid"), somebody.pid() + "\n" + data + "\n1\n5432\n\n127.0.0.1\n");

        try (EmbeddedPostgres server = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(folder))) {
            assertThat(server.alive()).isTrue();
            assertThat(somebody.isAlive()).isTrue();
        }
        assertThat(somebody.isAlive()).isTrue();
        somebody.destroy();
    }

    private WriterProcess writing() throws Exception {
        WriterProcess writer = WriterProcess.start(folder);
        writer.awaitAcknowledged(NUMBERS_BEFORE_THE_CRASH);
        return writer;
    }

    private void assertNothingLost(long last) throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(folder))) {
            assertThat(Numbers.all(server))
                    .startsWith(LongStream.rangeClosed(1, last).boxed().toArray(Long[]::new));
        }
    }

    private boolean isRunning(long pid) throws Exception {
        return processes().contains(pid);
    }

    private List<Long> processes() throws Exception {
        return new FolderProcesses(folder.toRealPath().resolve("data")).all();
    }
}
