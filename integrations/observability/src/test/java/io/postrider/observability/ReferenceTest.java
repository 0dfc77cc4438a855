package io.postrider.observability;

import static io.postrider.observability.TestNode.letter;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.postrider.observe.Observation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The names that others rely on: those asked for, those documented, those scraped and those in alert rules agree. */
class ReferenceTest {
    private static final Path REFERENCE = Path.of("../../docs/reference");
    private static final Pattern METRIC =
            Pattern.compile("\\b(?:outbox|events?|processing|dead_letter|postrider)_[a-z_]+\\b");
    private static final Pattern ROW =
            Pattern.compile("^\\| `(\\w+)` \\| (counter|gauge|histogram) \\| ([^|]*)\\|", Pattern.MULTILINE);

    private final Scrape scrape = scrapeOfEverything();

    @Test
    void every_name_that_was_asked_for_is_scraped() {
        Map<String, String> asked = Map.ofEntries(
                Map.entry("outbox_pending_count", "gauge"),
                Map.entry("outbox_publish_success_total", "counter"),
                Map.entry("outbox_publish_failed_total", "counter"),
                Map.entry("outbox_publish_latency_ms", "histogram"),
                Map.entry("outbox_oldest_pending_age_seconds", "gauge"),
                Map.entry("events_published_total", "counter"),
                Map.entry("events_processed_total", "counter"),
                Map.entry("event_processing_duration_seconds", "histogram"),
                Map.entry("dead_letter_queue_size", "gauge"),
                Map.entry("outbox_new_total", "counter"),
                Map.entry("outbox_done_total", "counter"),
                Map.entry("outbox_failed_total", "counter"),
                Map.entry("outbox_lag_seconds", "gauge"),
                Map.entry("processing_inflight", "gauge"));
        assertThat(scrape.kinds()).containsAllEntriesOf(asked);
        assertThat(scrape.labels("events_published_total")).containsExactly("event_type", "log");
        assertThat(scrape.labels("events_processed_total")).containsExactly("event_type", "handler", "log", "status");
        assertThat(scrape.labels("event_processing_duration_seconds")).containsExactly("event_type", "handler", "log");
    }

    @Test
    void the_page_lists_what_is_scraped_with_kind_and_labels() {
        Map<String, String> documented = new TreeMap<>();
        ROW.matcher(text("metrics.md"))
                .results()
                .forEach(row -> documented.put(row.group(1), row.group(2) + " " + labels(row.group(3))));
        Map<String, String> scraped = new TreeMap<>();
        scrape.kinds().forEach((name, kind) -> scraped.put(name, kind + " " + scrape.labels(name)));
        scraped.keySet().removeIf(name -> name.endsWith("_max"));
        assertThat(documented).isEqualTo(scraped);
    }

    @Test
    void every_metric_in_a_rule_or_a_question_is_scraped() {
        Set<String> samples = Pattern.compile("^(\\w+)[{ ]", Pattern.MULTILINE)
                .matcher(scrape.text())
                .results()
                .map(sample -> sample.group(1))
                .collect(Collectors.toSet());
        Stream<String> asked = Pattern.compile("^\\| [^|`]+ \\| (`.*)\\|$", Pattern.MULTILINE)
                .matcher(text("metrics.md"))
                .results()
                .map(question -> question.group(1));
        Set<String> named = Stream.concat(rules().stream().map(rule -> String.valueOf(rule.get("expr"))), asked)
                .flatMap(expression -> METRIC.matcher(expression).results())
                .map(name -> name.group().replaceFirst("^event_type$", ""))
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(named)
                .contains("postrider_pending_age_seconds", "postrider_dispatched_total", "postrider_events")
                .allSatisfy(name -> assertThat(name).startsWith("postrider_"))
                .isSubsetOf(samples);
    }

    @Test
    void every_rule_says_what_it_means_and_is_listed() {
        String page = text("metrics.md");
        assertThat(rules()).isNotEmpty().allSatisfy(rule -> {
            assertThat(rule).containsKeys("alert", "expr", "labels", "annotations");
            assertThat(page).contains("`" + rule.get("alert") + "`");
        });
    }

    private static List<String> labels(String cell) {
        return Pattern.compile("`(\\w+)`")
                .matcher(cell)
                .results()
                .map(label -> label.group(1))
                .toList();
    }

    private static List<Map<String, Object>> rules() {
        Map<String, List<Map<String, List<Map<String, Object>>>>> file = new Yaml().load(text("alerts.yml"));
        return file.getOrDefault("groups", List.of()).stream()
                .flatMap(group -> group.getOrDefault("rules", List.of()).stream())
                .toList();
    }

    private static String text(String name) {
        try {
            return Files.readString(REFERENCE.resolve(name));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Scrape scrapeOfEverything() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        Meters meters = Meters.on(registry);
        meters.observe(new Observation.Received("orders", 1, 0));
        meters.observe(new Observation.DestinationDown("broker", "no route"));
        meters.observe(new Observation.Unsealed("letters", "broker", "ORDERS", 1));
        try (TestNode node = new TestNode(meters);
                Gauges gauges = new Gauges(
                        new LogRegistry(registry, "outbox", true), node.store.browse(), InstantSource.system())) {
            node.handle(new Letters());
            node.append(letter("ann"));
            node.awaitDelivered(1);
            gauges.read();
            Eventually.holds(() ->
                    assertThat(Scrape.of(registry).value("outbox_done_total")).isEqualTo(1));
            return Scrape.of(registry);
        }
    }
}
