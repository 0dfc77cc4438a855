package io.postrider.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RefusalTest {

    @TempDir
    Path folder;

    @Test
    void a_second_launcher_in_this_process_is_refused_and_the_first_keeps_its_lock() throws Exception {
        try (EmbeddedPostgres first = EmbeddedPostgres.start(config())) {
            for (int attempt = 1; attempt <= 2; attempt++) {
                assertThatThrownBy(() -> EmbeddedPostgres.start(config()))
                        .isInstanceOf(EmbeddedPostgresException.class)
                        .hasMessageContaining("is in use by another launcher");
            }
            assertThat(first.alive()).isTrue();
        }
    }

    @Test
    void a_second_launcher_in_another_process_is_refused() throws Exception {
        WriterProcess first = WriterProcess.start(folder);
        try {
            assertThatThrownBy(() -> EmbeddedPostgres.start(config()))
                    .isInstanceOf(EmbeddedPostgresException.class)
                    .hasMessageContaining("is in use by another launcher");
            first.awaitAcknowledged(1);
        } finally {
            first.kill();
        }
        EmbeddedPostgres.start(config()).close();
    }

    @Test
    void a_port_in_use_is_refused_by_its_number() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> EmbeddedPostgres.start(config().port(taken.getLocalPort())))
                    .isInstanceOf(EmbeddedPostgresException.class)
                    .hasMessageContaining("Port " + taken.getLocalPort() + " on 127.0.0.1 cannot be used");
        }
    }

    @Test
    void a_given_port_is_used_again_right_after_a_stop() throws Exception {
        int port = Port.choose(0);
        for (int start = 1; start <= 2; start++) {
            try (EmbeddedPostgres server = EmbeddedPostgres.start(config().port(port))) {
                assertThat(server.port()).isEqualTo(port);
                assertThat(server.jdbcUrl("other")).isEqualTo("jdbc:postgresql://127.0.0.1:" + port + "/other");
                assertThat(Numbers.show(server, "port")).isEqualTo(Integer.toString(port));
            }
        }
    }

    @Test
    void a_broken_setting_fails_at_once_with_the_tail_of_the_log() {
        long begin = System.nanoTime();

        assertThatThrownBy(() -> EmbeddedPostgres.start(config().setting("shared_buffers", "lots")))
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining("ended while it was starting")
                .hasMessageContaining("invalid value for parameter \"shared_buffers\": \"lots\"");
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .isLessThan(config().startTimeout().dividedBy(2));
        EmbeddedPostgres.start(config()).close();
    }

    @Test
    void a_folder_with_other_files_in_it_is_refused_and_left_as_it_was() throws Exception {
        Path mine = Files.writeString(folder.resolve("thesis.txt"), "years of work");

        assertThatThrownBy(() -> EmbeddedPostgres.start(config()))
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining("a folder of its own");
        assertThat(folder).isDirectoryContaining(mine::equals);
        assertThat(folder.resolve("lock")).doesNotExist();
    }

    @Test
    void data_without_its_password_is_refused() throws Exception {
        EmbeddedPostgres.start(config()).close();
        Files.delete(folder.resolve("password"));

        assertThatThrownBy(() -> EmbeddedPostgres.start(config()))
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining("password is missing");
    }

    @Test
    void a_config_refuses_what_the_launcher_decides_and_what_makes_no_sense() {
        assertThatThrownBy(() -> config().setting("Port", "1")).hasMessageContaining("chosen by the launcher");
        assertThatThrownBy(() -> config().port(70_000)).hasMessageContaining("70000");
        assertThatThrownBy(() ->
                        new EmbeddedPostgresConfig(folder, 0, Map.of(), Duration.ZERO, Duration.ofSeconds(1), null))
                .hasMessageContaining("startTimeout");
        assertThatThrownBy(() -> new EmbeddedPostgresConfig(
                        folder, 0, Map.of(), Duration.ofSeconds(1), Duration.ofSeconds(-1), null))
                .hasMessageContaining("stopTimeout");
    }

    private EmbeddedPostgresConfig config() {
        return EmbeddedPostgresConfig.in(folder);
    }
}
