package io.postrider.kafka;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which events go to which topic: the rule of the event's type, else the one with the longest prefix of it, else the
 * topic of all others. Immutable.
 *
 * <p>Topics are verified when the destination is opened. One that does not exist is an error, unless {@link #create}
 * says how to make it.
 */
public final class TopicRules {
    private static final Pattern TOPIC = Pattern.compile("(?!\\.{1,2}$)[a-zA-Z0-9._-]{1,249}");

    private final Map<String, String> types;
    private final Map<String, String> prefixes;
    private final @Nullable String others;
    private final @Nullable NewTopics newTopics;

    /** How topics are made that do not exist. */
    record NewTopics(int partitions, short replication) {}

    private TopicRules(
            Map<String, String> types,
            Map<String, String> prefixes,
            @Nullable String others,
            @Nullable NewTopics newTopics) {
        this.types = Map.copyOf(types);
        this.prefixes = Map.copyOf(prefixes);
        this.others = others;
        this.newTopics = newTopics;
    }

    /** All events to this topic, unless a further rule says otherwise. */
    public static TopicRules others(String topic) {
        return new TopicRules(Map.of(), Map.of(), requireTopic(topic), null);
    }

    /** No event to any topic, until there are rules: an event that no rule takes is dead. */
    public static TopicRules none() {
        return new TopicRules(Map.of(), Map.of(), null, null);
    }

    /** Events of exactly this type to this topic. */
    public TopicRules type(String type, String topic) {
        if (type.contains("*")) {
            throw new IllegalArgumentException("a rule for a type takes that one type, and no wildcard: prefix('"
                    + type.substring(0, type.indexOf('*')) + "', …) takes all that begin so, got '" + type + "'");
        }
        return new TopicRules(with(types, "type", type, topic), prefixes, others, newTopics);
    }

    /** Events whose type begins so to this topic. */
    public TopicRules prefix(String prefix, String topic) {
        if (prefix.contains("*")) {
            String plain = prefix.substring(0, prefix.indexOf('*'));
            throw new IllegalArgumentException("a prefix has no wildcard: "
                    + (plain.isEmpty() ? "others(topic) takes every type" : "'" + plain + "'") + ", got '" + prefix
                    + "'");
        }
        return new TopicRules(types, with(prefixes, "prefix", prefix, topic), others, newTopics);
    }

    /** Topics that do not exist are made, with so many partitions and replicas. Those that exist stay as they are. */
    public TopicRules create(int partitions, int replication) {
        if (partitions < 1 || replication < 1 || replication > Short.MAX_VALUE) {
            throw new IllegalArgumentException("a topic has at least 1 partition and 1 replica, got partitions "
                    + partitions + " and replication " + replication);
        }
        return new TopicRules(types, prefixes, others, new NewTopics(partitions, (short) replication));
    }

    private static Map<String, String> with(Map<String, String> rules, String what, String from, String topic) {
        if (from.isEmpty()) {
            throw new IllegalArgumentException("the " + what + " of a rule is not empty, got '' -> '" + topic + "'");
        }
        Map<String, String> more = new LinkedHashMap<>(rules);
        String earlier = more.put(from, requireTopic(topic));
        if (earlier != null) {
            throw new IllegalArgumentException(
                    "two rules for the " + what + " '" + from + "': topics '" + earlier + "' and '" + topic + "'");
        }
        return more;
    }

    static String requireTopic(String topic) {
        if (!TOPIC.matcher(topic).matches()) {
            throw new IllegalArgumentException(
                    "a topic's name has 1 to 249 of the characters a-z, A-Z, 0-9, '.', '_' and '-', got '" + topic
                            + "'");
        }
        return topic;
    }

    /** The topic of events of this type, or null if no rule takes them. */
    public @Nullable String topicOf(String type) {
        String topic = types.get(type);
        if (topic == null && !prefixes.isEmpty()) {
            topic = longestPrefixOf(type).map(prefixes::get).orElse(null);
        }
        return topic != null ? topic : others;
    }

    private Optional<String> longestPrefixOf(String type) {
        return prefixes.keySet().stream()
                .filter(type::startsWith)
                .max((one, other) -> Integer.compare(one.length(), other.length()));
    }

    /** Every topic a rule names. */
    Set<String> topics() {
        Set<String> topics = new LinkedHashSet<>(types.values());
        topics.addAll(prefixes.values());
        if (others != null) {
            topics.add(others);
        }
        return topics;
    }

    @Nullable
    NewTopics newTopics() {
        return newTopics;
    }

    /** The rules that lead to this topic, in words. */
    String rulesOf(String topic) {
        return rules().entrySet().stream()
                .filter(rule -> rule.getValue().equals(topic))
                .map(rule -> rule.getKey() + " -> " + topic)
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private Map<String, String> rules() {
        Map<String, String> rules = new LinkedHashMap<>();
        types.forEach((type, topic) -> rules.put("type " + type, topic));
        prefixes.forEach((prefix, topic) -> rules.put("prefix " + prefix, topic));
        if (others != null) {
            rules.put("all others", others);
        }
        return rules;
    }

    @Override
    public String toString() {
        return topics().stream().map(this::rulesOf).sorted().collect(Collectors.joining(", ", "[", "]"));
    }
}
