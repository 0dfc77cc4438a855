package io.postrider.engine;

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
}
