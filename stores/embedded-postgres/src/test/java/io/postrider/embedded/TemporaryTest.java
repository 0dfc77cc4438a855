package io.postrider.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TemporaryTest {

    @Test
    void two_servers_run_at_the_same_time_and_leave_no_files_behind() throws Exception {
        EmbeddedPostgres one = EmbeddedPostgres.temporary(Map.of());
        EmbeddedPostgres other = EmbeddedPostgres.temporary(Map.of("fsync", "off"));

        assertThat(one.port()).isNotEqualTo(other.port());
        assertThat(one.password()).isNotEqualTo(other.password());
        assertThat(Numbers.show(one, "fsync")).isEqualTo("on");
        assertThat(Numbers.show(other, "fsync")).isEqualTo("off");
        one.stop();
        other.stop();

        assertThat(one.dataDirectory().getParent()).doesNotExist();
        assertThat(other.dataDirectory().getParent()).doesNotExist();
    }

    @Test
    void a_killed_server_is_deleted_when_it_is_closed() {
        EmbeddedPostgres server = EmbeddedPostgres.temporary(Map.of());
        server.kill();
        assertThat(server.dataDirectory()).exists();

        server.close();
        assertThat(server.dataDirectory().getParent()).doesNotExist();
    }

    @Test
    void a_process_that_is_terminated_takes_its_server_and_the_files_with_it() throws Exception {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        TemporaryTest.class.getName()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Path data = Path.of(process.inputReader(StandardCharsets.UTF_8).readLine());
        assertThat(new FolderProcesses(data).all()).isNotEmpty();

        process.destroy();
        process.onExit().join();
        assertThat(new FolderProcesses(data).all()).isEmpty();
        assertThat(data.getParent()).doesNotExist();
    }

    public static void main(String[] arguments) throws IOException {
        System.out.println(EmbeddedPostgres.temporary(Map.of()).dataDirectory());
        System.in.read();
    }
}
