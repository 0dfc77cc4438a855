package io.postrider.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BinariesTest {

    @TempDir
    Path cache;

    @Test
    void threads_that_come_first_together_unpack_once() throws Exception {
        List<CompletableFuture<Path>> homes = Stream.generate(
                        () -> CompletableFuture.supplyAsync(() -> Binaries.unpackedIn(cache)))
                .limit(4)
                .toList();
        Path home = homes.get(0).join();

        assertThat(homes).allSatisfy(other -> assertThat(other.join()).isEqualTo(home));
        assertThat(home.resolve("bin/postgres")).isExecutable();
        assertThat(names()).containsExactlyInAnyOrder(home.getFileName().toString(), home.getFileName() + ".lock");
    }

    @Test
    void what_an_interrupted_unpacking_left_is_replaced() throws Exception {
        Path home = Binaries.unpackedIn(cache);
        Files.move(home, home.resolveSibling(home.getFileName() + ".new"));
        Files.delete(home.resolveSibling(home.getFileName() + ".new").resolve("bin/postgres"));

        assertThat(Binaries.unpackedIn(cache)).isEqualTo(home);
        assertThat(home.resolve("bin/postgres")).isExecutable();
    }

    @Test
    void the_platform_is_spelled_as_the_archives_are() {
        assertThat(Binaries.platform("Linux", "amd64")).isEqualTo("linux-x86_64");
        assertThat(Binaries.platform("Linux", "aarch64")).isEqualTo("linux-arm_64");
        assertThat(Binaries.platform("Mac OS X", "aarch64")).isEqualTo("darwin-arm_64");
    }

    @Test
    void every_linux_platform_has_its_archive() {
        for (String platform : List.of("linux-x86_64", "linux-arm_64")) {
            assertThat(getClass().getResource("/postgres-" + platform + ".txz"))
                    .as(platform)
                    .isNotNull();
        }
    }

    @Test
    void working_folders_are_read_from_the_fields_of_lsof() {
        String fields = "p12\nfcwd\nn/a/data\np13\nfcwd\nn/b/data\np14\nfcwd\nn/a/data\n";

        assertThat(ProcessTable.parse(fields, Path.of("/a/data"))).containsExactly(12L, 14L);
    }

    private List<String> names() throws Exception {
        try (Stream<Path> entries = Files.list(cache)) {
            return entries.map(entry -> entry.getFileName().toString()).toList();
        }
    }

    @Test
    void a_named_installation_that_is_not_there_is_refused_with_what_to_do(@TempDir Path nothing) {
        assertThatThrownBy(() -> Binaries.installedIn(nothing))
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining("POSTRIDER_POSTGRES_HOME names " + nothing)
                .hasMessageContaining("apt-get install postgresql-15");
    }

    @Test
    void a_configuration_that_names_no_installation_is_refused_before_any_folder_is_made(@TempDir Path nothing) {
        Path folder = nothing.resolve("server");
        assertThatThrownBy(() ->
                        EmbeddedPostgres.start(EmbeddedPostgresConfig.in(folder).home(nothing)))
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining("names " + nothing);
        assertThat(folder).doesNotExist();
    }

    @Test
    void the_version_of_a_server_is_its_first_number() {
        assertThat(Binaries.majorVersion(Binaries.unpacked())).isGreaterThanOrEqualTo(15);
    }
}
