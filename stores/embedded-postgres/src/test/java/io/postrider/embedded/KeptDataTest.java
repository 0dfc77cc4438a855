package io.postrider.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptDataTest {

    @TempDir
    Path parent;

    @Test
    void a_stop_ends_the_server_and_the_next_start_has_its_data() throws Exception {
        EmbeddedPostgres first = EmbeddedPostgres.start(config());
        write(first, 1);
        first.stop();
        first.stop();

        assertThat(first.alive()).isFalse();
        assertThat(ProcessHandle.of(first.pid())).isEmpty();
        assertThat(first.dataDirectory().resolve("postmaster.pid")).doesNotExist();
        try (EmbeddedPostgres second = EmbeddedPostgres.start(config())) {
            assertThat(second.alive()).isTrue();
            assertThat(second.password()).isEqualTo(first.password());
            assertThat(Numbers.all(second)).containsExactly(1L);
        }
        assertThat(log()).contains("database system is shut down").doesNotContain("not properly shut down");
    }

    @Test
    void a_killed_server_recovers_what_was_acknowledged() throws Exception {
        EmbeddedPostgres first = EmbeddedPostgres.start(config());
        write(first, 1);
        first.kill();

        assertThat(first.alive()).isFalse();
        try (EmbeddedPostgres second = EmbeddedPostgres.start(config())) {
            first.close();
            assertThat(second.alive())
                    .as("closing the killed one leaves its successor alone")
                    .isTrue();
            assertThat(Numbers.all(second)).containsExactly(1L);
        }
        assertThat(log()).contains("not properly shut down");
    }

    @Test
    void the_server_is_durable_local_and_asks_for_the_password() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start(config().setting("work_mem", "5MB"))) {
            assertThat(Numbers.show(server, "fsync")).isEqualTo("on");
            assertThat(Numbers.show(server, "synchronous_commit")).isEqualTo("on");
            assertThat(Numbers.show(server, "full_page_writes")).isEqualTo("on");
            assertThat(Numbers.show(server, "listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(Numbers.show(server, "unix_socket_directories")).isEmpty();
            assertThat(Numbers.show(server, "work_mem")).isEqualTo("5MB");
            assertThatThrownBy(() -> DriverManager.getConnection(server.jdbcUrl(), server.user(), "guess"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
        }
    }

    @Test
    void only_the_user_can_read_the_folder_and_the_password() throws Exception {
        EmbeddedPostgres.start(config()).close();

        assertThat(permissions(folder())).isEqualTo("rwx------");
        assertThat(permissions(folder().resolve("password"))).isEqualTo("rw-------");
    }

    @Test
    void the_server_runs_in_a_session_of_its_own() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start(config())) {
            Process ps = new ProcessBuilder("ps", "-o", "sess=", "-p", Long.toString(server.pid())).start();
            assertThat(new String(ps.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip())
                    .isEqualTo(Long.toString(server.pid()));
        }
    }

    private EmbeddedPostgresConfig config() {
        return EmbeddedPostgresConfig.in(folder());
    }

    private Path folder() {
        return parent.resolve("postgres");
    }

    private String log() throws Exception {
        return Files.readString(folder().resolve("postgres.log"));
    }

    private static String permissions(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static void write(EmbeddedPostgres server, long number) throws SQLException {
        try (Connection connection = Numbers.connect(server)) {
            Numbers.create(connection);
            Numbers.add(connection, number);
        }
    }
}
