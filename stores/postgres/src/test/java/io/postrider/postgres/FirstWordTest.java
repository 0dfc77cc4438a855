package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FirstWordTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BEGIN",
                "begin; SELECT 1; commit",
                " \n\tCommit",
                "rollback;",
                "START TRANSACTION",
                "end",
                "Abort",
                "prepare transaction 'a'",
                "-- BEGINS\nBEGIN",
                "/* a /* nested */ comment */ begin",
                ";; ROLLBACK"
            })
    void a_text_that_begins_or_ends_a_transaction_is_known_in_any_form(String sql) {
        assertThat(FirstWord.isOfTransaction(sql)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "SELECT 1",
                "/* BEGIN */ SELECT 1",
                "-- COMMIT\nUPDATE t SET a = 1",
                "-- COMMIT",
                "/* BEGIN",
                "BEGINNING",
                "commit_all()",
                "(SELECT 1)",
                "WITH a AS (SELECT 1) SELECT 1"
            })
    void a_text_that_only_looks_like_one_is_told_apart(String sql) {
        assertThat(FirstWord.isOfTransaction(sql)).isFalse();
    }
}
