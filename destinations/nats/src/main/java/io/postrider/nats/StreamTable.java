package io.postrider.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The streams that events go to, as the server had them when it was asked. */
final class StreamTable {
    private final Map<String, StreamConfiguration> streams = new LinkedHashMap<>();
    private final List<String> warnings = new ArrayList<>();

    private StreamTable() {}

    /**
     * Asks the server, and creates and changes streams where the configuration says so.
     *
     * @throws Misconfigured if they are not as they have to be
     * @throws IOException if nobody answers, or nobody can at present
     */
    static StreamTable load(JetStreamManagement management, JetStreamConfig config) throws IOException {
        StreamTable table = new StreamTable();
        StreamSetup setup = new StreamSetup(management, config.streams().policy());
        for (StreamSpec spec : config.streams().specs()) {
            table.put(setup.ensure(spec));
        }
        for (Route route : config.streams().routes()) {
            if (!table.streams.containsKey(route.stream())) {
                table.put(setup.existing(route));
            }
            table.check(route, config.topics().prefix());
        }
        if (config.streams().routes().isEmpty()) {
            setup.all().forEach(table::put);
        }
        table.streams.values().forEach(stream -> table.checkDuplicates(stream, config.retryHorizon()));
        return table;
    }

    private void put(StreamConfiguration stream) {
        streams.put(stream.getName(), stream);
    }

    private void check(Route route, String prefix) {
        List<String> taken = subjects(route.stream());
        String wanted = prefix + route.topics();
        if (taken.stream().noneMatch(subject -> Subjects.overlap(subject, wanted))) {
            throw new Misconfigured("route " + route + ": stream '" + route.stream() + "' takes " + taken
                    + ", and nothing of '" + wanted + "'");
        }
        if (taken.stream().noneMatch(subject -> Subjects.covers(subject, wanted))) {
            warnings.add("route " + route + ": stream '" + route.stream() + "' takes " + taken
                    + ", which may not be all of '" + wanted + "'; events of other subjects will be dead");
        }
    }

    private void checkDuplicates(StreamConfiguration stream, Duration horizon) {
        Duration window = stream.getDuplicateWindow();
        if (window.compareTo(horizon) < 0) {
            warnings.add("stream '" + stream.getName() + "' forgets the ids of messages after " + window
                    + ", and an event may be dispatched again up to " + horizon
                    + " after its first dispatch: it may then be stored twice. Give the stream a"
                    + " StreamSpec.duplicateWindow of " + horizon
                    + ", or say with JetStreamConfig.retryHorizon that none is dispatched again that late");
        }
    }

    List<String> warnings() {
        return List.copyOf(warnings);
    }

    /**
     * Streams of which each message is on one server only: what it has acknowledged and not yet written can be lost.
     */
    List<String> unreplicated() {
        return streams.values().stream()
                .filter(stream -> stream.getReplicas() < 3)
                .map(StreamConfiguration::getName)
                .toList();
    }

    /** Whether the stream takes this subject, or any stream does if none is named. */
    boolean takes(String subject, @Nullable String stream) {
        return streams.keySet().stream()
                .filter(name -> stream == null || stream.equals(name))
                .flatMap(name -> subjects(name).stream())
                .anyMatch(pattern -> Subjects.covers(pattern, subject));
    }

    private List<String> subjects(String name) {
        StreamConfiguration stream = streams.get(name);
        return stream == null || stream.getSubjects() == null ? List.of() : stream.getSubjects();
    }

    /** Whether a stream takes this subject now, as the server says. */
    static boolean takesNow(JetStreamManagement management, String subject) throws IOException, JetStreamApiException {
        return !management.getStreamNames(subject).isEmpty();
    }
}
