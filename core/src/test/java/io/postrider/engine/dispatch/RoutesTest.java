package io.postrider.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.destination.Destination;
import io.postrider.engine.base.Answer;
import io.postrider.text.TypePattern;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoutesTest {

    @Test
    void a_name_comes_before_a_pattern_and_patterns_in_their_order() {
        Routes routes = routes("letter.*", "**", "letter.sent");
        assertThat(routes.route("letter.sent")).contains(Answer.delivered("letter.sent"));
        assertThat(routes.route("letter.lost")).contains(Answer.delivered("letter.*"));
        assertThat(routes.route("parcel")).contains(Answer.delivered("**"));
        assertThat(routes.route("parcel")).contains(Answer.delivered("**"));
    }

    @Test
    void what_nobody_takes_has_no_route() {
        assertThat(routes("letter.*").route("parcel.sent")).isEmpty();
    }

    @Test
    void a_type_that_looks_like_a_pattern_is_not_taken_for_one() {
        assertThat(routes("letter.*").route("letter.*")).contains(Answer.delivered("letter.*"));
        assertThat(routes("*.sent").route("*.lost")).isEmpty();
    }

    @Test
    void the_fingerprint_names_the_filter_whatever_the_order() {
        assertThat(routes("b", "a.*").fingerprint())
                .isEqualTo(routes("a.*", "b").fingerprint())
                .isNotEqualTo(routes("a.*").fingerprint());
    }

    private static Routes routes(String... patterns) {
        Map<TypePattern, Destination> destinations = new LinkedHashMap<>();
        for (String pattern : patterns) {
            destinations.put(new TypePattern(pattern), Answer.delivered(pattern));
        }
        return new Routes(destinations);
    }
}
