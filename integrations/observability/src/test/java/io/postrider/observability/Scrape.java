package io.postrider.observability;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What Prometheus gets to read. */
record Scrape(String text) {
    private static final Pattern TYPE = Pattern.compile("^# TYPE (\\w+) (\\w+)$", Pattern.MULTILINE);
    private static final Pattern SAMPLE = Pattern.compile("^(\\w+)(?:\\{(.*)})? (\\S+)$", Pattern.MULTILINE);

    static Scrape of(PrometheusMeterRegistry registry) {
        return new Scrape(registry.scrape());
    }

    /** The kind of each metric, by its name. */
    Map<String, String> kinds() {
        Map<String, String> kinds = new TreeMap<>();
        TYPE.matcher(text).results().forEach(type -> kinds.put(type.group(1), type.group(2)));
        return kinds;
    }

    /** The labels of a metric, in the order of the alphabet and without those of buckets. */
    List<String> labels(String name) {
        return SAMPLE.matcher(text)
                .results()
                .filter(sample -> sample.group(1).matches(name + "(_count)?"))
                .flatMap(sample -> labelsOf(sample).stream())
                .map(label -> label.substring(0, label.indexOf('=')))
                .distinct()
                .sorted()
                .toList();
    }

    /** The sum of all samples with this name and these labels, such as {@code status="error"}. */
    double value(String name, String... labels) {
        List<MatchResult> samples = samples(name, labels);
        if (samples.isEmpty()) {
            throw new AssertionError("no " + name + Arrays.toString(labels) + " in\n" + text);
        }
        return samples.stream()
                .mapToDouble(sample -> Double.parseDouble(sample.group(3)))
                .sum();
    }

    boolean has(String name, String... labels) {
        return !samples(name, labels).isEmpty();
    }

    private List<MatchResult> samples(String name, String... labels) {
        return SAMPLE.matcher(text)
                .results()
                .filter(sample ->
                        sample.group(1).equals(name) && labelsOf(sample).containsAll(Arrays.asList(labels)))
                .toList();
    }

    private static List<String> labelsOf(MatchResult sample) {
        return sample.group(2) == null ? List.of() : List.of(sample.group(2).split(","));
    }
}
