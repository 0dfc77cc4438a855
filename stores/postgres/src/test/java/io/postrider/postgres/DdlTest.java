package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** DDL that fails is tried again; a failure that is not for want of a lock is told, once for each kind. */
class DdlTest {
    private static final String FAULT = "DO $$ BEGIN RAISE 'a fault that stays' USING ERRCODE = '%s'; END $$";

    private final TestDatabase database = new TestDatabase();
    private final Jdbc jdbc = new Jdbc(database.dataSource(), database.schema());
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream told = new ByteArrayOutputStream();

    @BeforeEach
    void listen() {
        database.store();
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void close() {
        System.setErr(before);
        database.close();
    }

    @Test
    void a_fault_is_told_once_for_each_kind() throws SQLException {
        attempt(FAULT.formatted("XX000"));
        assertThat(lines()).isEqualTo(1);
        attempt(FAULT.formatted("XX000"));
        assertThat(lines()).isEqualTo(1);
        attempt(FAULT.formatted("42P17"));
        assertThat(lines()).isEqualTo(2);
    }

    @Test
    void a_lock_that_was_not_to_be_had_is_not_told() throws SQLException {
        try (Connection holder = database.begin();
                var statement = holder.createStatement()) {
            statement.execute("LOCK TABLE " + database.schema() + ".tally IN ACCESS EXCLUSIVE MODE");
            attempt("ALTER TABLE " + database.schema() + ".tally SET (fillfactor = 90)");
        }
        assertThat(lines()).isZero();
    }

    private void attempt(String statements) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            assertThat(Ddl.attempt(jdbc, connection, statements)).isFalse();
        }
    }

    private long lines() {
        return told.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("WARN") && line.contains("DDL beside " + database.schema()))
                .count();
    }
}
