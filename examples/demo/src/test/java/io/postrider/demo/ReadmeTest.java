package io.postrider.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.postgres.PostgresStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReadmeTest {
    private static final Path ROOT = Path.of("..", "..");

    @Test
    void the_first_java_of_the_readme_is_code_that_compiles() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));
        int start = readme.indexOf("```java") + "```java".length();
        String shown = readme.substring(start, readme.indexOf("```", start));
        Path source = Path.of("src", "main", "java", "io", "postrider", "demo", "Quickstart.java");

        assertThat(shown.lines().filter(line -> !line.isBlank()).count()).isBetween(5L, 15L);
        assertThat(withoutSpace(Files.readString(source))).contains(withoutSpace(shown));
    }

    @Test
    void the_first_java_of_the_readme_delivers() throws Exception {
        BlockingQueue<String> credited = new ArrayBlockingQueue<>(1);
        try (EmbeddedPostgres server = EmbeddedPostgres.temporary(Map.of());
                HikariDataSource dataSource = pool(server)) {
            PostgresStore.of(dataSource);
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                try (Postrider<Connection> postrider =
                        Quickstart.start(dataSource, connection, payout -> credited.add(payout.payout()))) {
                    connection.commit();
                    assertThat(credited.poll(30, TimeUnit.SECONDS)).isEqualTo("p_001");
                    assertThat(postrider.operator().browse().subscriptions()).containsExactly("wallet");
                }
            }
        }
    }

    private static HikariDataSource pool(EmbeddedPostgres server) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.jdbcUrl());
        config.setUsername(server.user());
        config.setPassword(server.password());
        return new HikariDataSource(config);
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s+", "");
    }
}
