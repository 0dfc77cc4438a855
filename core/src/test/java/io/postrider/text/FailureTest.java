package io.postrider.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.BatchUpdateException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** What is kept of a failure of a database shows no row of it. */
class FailureTest {
    private static final String SECRET = "s3cr3t";

    private final SQLException refused = new SQLException(
            "ERROR: duplicate key value violates unique constraint \"acct_pkey\"\n  Detail: Key (id)=(s3cr3t) exists.");

    @Test
    void of_a_refused_row_the_first_line_is_told() {
        assertTold(refused);
    }

    @Test
    void an_exception_that_took_the_message_over_shows_no_row_either() {
        assertTold(new IllegalStateException(refused));
        assertTold(new IllegalStateException("not stored; " + refused.getMessage(), refused));
    }

    @Test
    void a_refused_batch_shows_neither_its_statement_nor_its_values() {
        String statement = "Batch entry 0 INSERT INTO acct VALUES ('s3cr3t') was aborted: " + refused.getMessage();
        assertTold(new BatchUpdateException(statement, new int[0], refused));
    }

    private static void assertTold(Throwable failure) {
        assertThat(Failure.words(failure)).contains("duplicate key value").doesNotContain(SECRET);
        assertThat(Failure.stack(failure)).contains("duplicate key value").doesNotContain(SECRET);
    }
}
