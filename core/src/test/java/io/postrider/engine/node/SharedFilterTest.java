package io.postrider.engine.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SharedFilterTest {

    @Test
    void a_narrower_filter_says_what_it_takes_no_longer() {
        assertThat(SharedFilter.consequences("letter.* parcel.*", "letter.*"))
                .contains("No longer taken: 'parcel.*'", "waits for a retry")
                .doesNotContain("New");
    }

    @Test
    void a_wider_filter_says_what_it_takes_beside() {
        assertThat(SharedFilter.consequences("letter.*", "letter.* parcel.*"))
                .contains("New: 'parcel.*'", "stays skipped")
                .doesNotContain("No longer");
    }

    @Test
    void another_kind_says_what_becomes_of_rows_and_names_no_mark_as_a_pattern() {
        assertThat(SharedFilter.consequences("letter.*", "letter.* #queue"))
                .contains("is a queue from here on", "become tasks")
                .doesNotContain("New", "No longer");
        assertThat(SharedFilter.consequences("letter.* #queue", "letter.*"))
                .contains("is no queue any more")
                .doesNotContain("New", "No longer");
        assertThat(SharedFilter.consequences("letter.*", "letter.* #stays-blocked"))
                .contains("dead events block their keys")
                .doesNotContain("New", "queue");
        assertThat(SharedFilter.consequences("letter.*", "letter.* #with-effect #stays-blocked"))
                .contains("dead events block their keys", "settlements commit with the effects")
                .doesNotContain("New", "queue");
    }
}
