package io.postrider.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

class PlotTest {

    @Test
    void an_axis_ends_at_the_first_round_step_above_the_highest_value() {
        assertThat(AxisScale.upTo(294_335)).isEqualTo(new AxisScale(300_000, 100_000));
        assertThat(AxisScale.upTo(1_000)).isEqualTo(new AxisScale(1_000, 200));
        assertThat(AxisScale.upTo(8.4).ticks()).containsExactly(0.0, 2.0, 4.0, 6.0, 8.0, 10.0);
    }

    @Test
    void an_axis_of_nothing_is_still_an_axis() {
        assertThat(AxisScale.upTo(0).ticks()).containsExactly(0.0, 1.0);
    }

    @Test
    void a_value_takes_its_share_of_the_pixels() {
        assertThat(new AxisScale(200, 50).pixels(50, 300)).isCloseTo(75, within(1e-9));
    }

    @Test
    void every_value_and_the_limit_are_in_the_drawing_which_is_xml() throws Exception {
        String svg = SvgPlot.draw(Plot.bars(
                "file",
                "Bars <& more>",
                "events/s",
                List.of(new Plot.Bar("postrider 1, settings", 1_234), new Plot.Bar("peer", 56)),
                new Plot.Bar("bare SELECT", 2_000)));

        assertThat(svg).contains("1,234", ">56<", "limit: bare SELECT", "stroke-dasharray", ">postrider 1<");
        assertThat(DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new InputSource(new StringReader(svg)))
                        .getDocumentElement()
                        .getTagName())
                .isEqualTo("svg");
    }

    @Test
    void a_long_name_is_broken_between_words_where_it_would_not_fit() {
        assertThat(SvgPlot.lines("postrider 0.1.0-SNAPSHOT", 20)).containsExactly("postrider", "0.1.0-SNAPSHOT");
        assertThat(SvgPlot.lines("bare SELECT to bare kafka-clients send", 20))
                .containsExactly("bare SELECT to bare", "kafka-clients send");
        assertThat(SvgPlot.lines("transactionoutbox 4.2", 10)).containsExactly("transactionoutbox", "4.2");
    }

    @Test
    void a_series_with_a_value_too_few_is_refused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Plot(
                        "file",
                        Plot.Shape.LINES,
                        "title",
                        new Plot.Axes("x", "y"),
                        List.of("1", "2"),
                        List.of(Plot.Series.of("short", List.of(1.0)))))
                .withMessageContaining("'short' has 1 values for 2");
    }
}
