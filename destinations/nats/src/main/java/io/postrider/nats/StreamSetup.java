package io.postrider.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sees that streams are as they have to be. */
final class StreamSetup {
    private static final Logger log = LoggerFactory.getLogger(StreamSetup.class);

    private final JetStreamManagement management;
    private final Streams.Policy policy;

    StreamSetup(JetStreamManagement management, Streams.Policy policy) {
        this.management = management;
        this.policy = policy;
    }

    StreamConfiguration ensure(StreamSpec spec) throws IOException {
        StreamConfiguration found = find(spec.name());
        if (found == null) {
            return create(spec);
        }
        List<String> differences = differences(spec, found);
        return differences.isEmpty() ? found : change(spec, found, differences);
    }

    StreamConfiguration existing(Route route) throws IOException {
        StreamConfiguration found = find(route.stream());
        if (found == null) {
            throw new Misconfigured("route " + route + ": there is no stream '" + route.stream() + "'");
        }
        return found;
    }

    List<StreamConfiguration> all() throws IOException {
        try {
            return management.getStreams().stream()
                    .map(StreamInfo::getConfiguration)
                    .toList();
        } catch (JetStreamApiException e) {
            throw refused("the streams cannot be listed", e);
        }
    }

    private @Nullable StreamConfiguration find(String name) throws IOException {
        try {
            return management.getStreamInfo(name).getConfiguration();
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() == Refusal.NO_STREAM) {
                return null;
            }
            throw refused("stream '" + name + "' cannot be looked at", e);
        }
    }

    private StreamConfiguration create(StreamSpec spec) throws IOException {
        if (policy == Streams.Policy.VERIFY) {
            throw new Misconfigured(
                    "there is no stream '" + spec.name() + "', and none is created: that takes Streams.create");
        }
        try {
            StreamConfiguration created = management
                    .addStream(apply(spec, StreamConfiguration.builder().name(spec.name())))
                    .getConfiguration();
            log.info("stream '{}' was created, for {}", spec.name(), spec.subjects());
            return created;
        } catch (JetStreamApiException e) {
            throw refused("stream '" + spec.name() + "' for " + spec.subjects() + " cannot be created", e);
        }
    }

    private StreamConfiguration change(StreamSpec spec, StreamConfiguration found, List<String> differences)
            throws IOException {
        if (policy != Streams.Policy.UPDATE) {
            throw new Misconfigured("stream '" + spec.name() + "' is not as it has to be, and is not changed, which"
                    + " takes Streams.update: " + String.join("; ", differences));
        }
        try {
            StreamConfiguration changed = management
                    .updateStream(apply(spec, StreamConfiguration.builder(found)))
                    .getConfiguration();
            log.info("stream '{}' was changed: {}", spec.name(), differences);
            return changed;
        } catch (JetStreamApiException e) {
            throw refused("stream '" + spec.name() + "' cannot be changed (" + String.join("; ", differences) + ")", e);
        }
    }

    private static StreamConfiguration apply(StreamSpec spec, StreamConfiguration.Builder stream) {
        return stream.subjects(spec.subjects())
                .replicas(spec.replicas())
                .storageType(storage(spec))
                .duplicateWindow(spec.duplicateWindow())
                .maxAge(spec.maxAge())
                .build();
    }

    private static StorageType storage(StreamSpec spec) {
        return spec.storage() == StreamSpec.Storage.FILE ? StorageType.File : StorageType.Memory;
    }

    static List<String> differences(StreamSpec spec, StreamConfiguration found) {
        List<String> differences = new ArrayList<>();
        List<String> subjects = found.getSubjects() == null ? List.of() : found.getSubjects();
        compare(differences, "subjects", Set.copyOf(spec.subjects()), Set.copyOf(subjects));
        compare(differences, "replicas", spec.replicas(), found.getReplicas());
        compare(differences, "storage", storage(spec), found.getStorageType());
        compare(differences, "duplicateWindow", spec.duplicateWindow(), found.getDuplicateWindow());
        compare(differences, "maxAge", spec.maxAge(), found.getMaxAge());
        return differences;
    }

    private static void compare(List<String> differences, String what, Object wanted, Object found) {
        if (!wanted.equals(found)) {
            differences.add(what + " " + found + " instead of " + wanted);
        }
    }

    /** A server that cannot at present is no fault of the configuration. */
    private static Misconfigured refused(String what, JetStreamApiException e) throws IOException {
        String sentence = what + ": " + Refusal.words(e);
        if (Refusal.isTemporary(e)) {
            throw new IOException(sentence);
        }
        return new Misconfigured(sentence);
    }
}
