package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The head of the log is never ahead of what was drawn: a cursor that moves there says that nobody will draw a position
 * below. A SELECT from the sequence itself is ahead, by up to 32 and in about one look of 16,000 while others draw.
 */
class HeadTest {
    private static final int DRAWERS = 3;
    private static final int LOOKS = 500_000;

    private final TestDatabase database = new TestDatabase();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final List<Future<?>> drawers = new ArrayList<>();

    @BeforeEach
    void startDrawing() {
        database.store();
        for (int i = 0; i < DRAWERS; i++) {
            drawers.add(threads.submit(this::drawUntilStopped));
        }
    }

    @AfterEach
    void stopDrawing() throws Exception {
        stopping.set(true);
        for (Future<?> drawer : drawers) {
            drawer.get();
        }
        threads.shutdown();
        database.close();
    }

    @Test
    void a_position_drawn_after_a_look_at_the_head_is_above_it() throws SQLException {
        database.execute("""
                CREATE FUNCTION {looks_ahead}(looks int) RETURNS int LANGUAGE plpgsql AS $$
                DECLARE
                    head bigint;
                    ahead int := 0;
                BEGIN
                    FOR i IN 1..looks LOOP
                        head := %s;
                        ahead := ahead + (nextval('{event_position}') <= head)::int;
                    END LOOP;
                    RETURN ahead;
                END
                $$
                """.formatted(PostgresRead.HEAD));
        assertThat(database.number("SELECT {looks_ahead}(" + LOOKS + ")"))
                .as("heads, of %d, that were not below the position drawn next", LOOKS)
                .isZero();
    }

    private Void drawUntilStopped() throws SQLException {
        while (!stopping.get()) {
            try (Connection connection = database.dataSource().getConnection();
                    var statement = connection.createStatement()) {
                statement.execute("SELECT count(nextval('" + database.schema()
                        + ".event_position')) FROM generate_series(1, 2000)");
            }
        }
        return null;
    }
}
