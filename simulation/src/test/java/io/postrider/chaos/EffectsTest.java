package io.postrider.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A harness that sees no second effect and no wrong order would find all fine. */
class EffectsTest {

    @Test
    void a_second_effect_and_one_out_of_order_are_seen() throws Exception {
        try (Server server = Server.start(Map.of());
                HikariDataSource pool = server.database().pool("test", 1, Duration.ofSeconds(20))) {
            Effects effects = Effects.create(pool);
            add(pool, "ann", 1);
            add(pool, "bob", 4);
            add(pool, "ann", 3);
            assertThat(effects.count()).isEqualTo(new Effects.Count(3, 3, 0));
            add(pool, "ann", 2);
            assertThat(effects.count()).isEqualTo(new Effects.Count(4, 4, 1));
            add(pool, "bob", 4);
            assertThat(effects.count()).isEqualTo(new Effects.Count(5, 4, 1));
            assertThat(effects.count().twice()).isEqualTo(1);
        }
    }

    private static void add(HikariDataSource pool, String key, long number) throws Exception {
        try (Connection connection = pool.getConnection()) {
            Effects.add(connection, key, number);
        }
    }
}
