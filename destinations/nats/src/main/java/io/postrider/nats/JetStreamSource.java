package io.postrider.nats;

import io.nats.client.JetStreamApiException;
import io.postrider.destination.Placed;
import io.postrider.destination.SourceException;
import io.postrider.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages of a stream, through a durable consumer that is pulled from: each comes again until it is acknowledged, on
 * whichever node.
 *
 * <p>One thread pulls; messages may be answered on any thread.
 */
public final class JetStreamSource implements Placed {
    private static final Logger log = LoggerFactory.getLogger(JetStreamSource.class);

    private final JetStreamSourceConfig config;
    private final Set<String> told = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Memory memory;
    private volatile @Nullable PullSession current;
    private volatile boolean isCompared;
    private volatile boolean closed;

    private JetStreamSource(JetStreamSourceConfig config) {
        this.config = config;
    }

    /**
     * Connects and looks at the consumer. Where no server can be reached it says so in the log, and each pull tries
     * again.
     *
     * @throws IllegalStateException if a server is there, and the configuration does not fit
     */
    public static JetStreamSource open(JetStreamSourceConfig config) {
        JetStreamSource source = new JetStreamSource(config);
        try {
            source.session();
        } catch (IOException e) {
            log.debug("{} is not there yet; each pull connects again: {}", source.name(), e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while connecting", e);
        }
        return source;
    }

    /** The same for all who share the consumer's messages. */
    @Override
    public String name() {
        return "jetstream/" + config.stream() + "/" + config.durable();
    }

    @Override
    public void remember(Memory memory) {
        this.memory = memory;
        isCompared = false;
    }

    @Override
    public List<Arrival> pull(int most, Duration wait) throws InterruptedException {
        if (most < 1) {
            throw new IllegalArgumentException("a pull takes at least one message, got " + most);
        }
        try {
            return compared().pull(most, wait);
        } catch (PullSession.Unread | Misconfigured e) {
            drop();
            throw new SourceException(name() + " cannot be read: " + e.getMessage(), e);
        } catch (IOException | IllegalStateException e) {
            drop();
            throw new SourceException(name() + " does not answer: " + e.getMessage(), e);
        } catch (StoreException e) {
            drop();
            throw e;
        }
    }

    /** A session whose consumer was compared with its stream. */
    private PullSession compared() throws IOException, InterruptedException {
        PullSession now = session();
        if (isCompared) {
            return now;
        }
        ConsumerPlace.Finding finding = compare(now.link());
        if (finding.setBack()) {
            now.close();
            now = new PullSession(now.link(), config);
            current = now;
        }
        now.era(finding.era());
        isCompared = true;
        return now;
    }

    private ConsumerPlace.Finding compare(Link link) throws IOException {
        Memory known = memory;
        try {
            if (known != null) {
                warn(Keeping.objection(
                        link.management().getStreamInfo(config.stream()), known.keptFor(), Instant.now()));
            }
            ConsumerPlace.Finding finding = new ConsumerPlace(link.management(), config, known).compare();
            warn(finding.positionLost());
            return finding;
        } catch (JetStreamApiException e) {
            throw new PullSession.Unread("consumer '" + config.durable() + "' of stream '" + config.stream()
                    + "' cannot be compared with its stream, and nothing is read before it is: " + Refusal.words(e));
        }
    }

    private PullSession session() throws IOException, InterruptedException {
        PullSession now = current;
        if (now != null && !now.link().isLost()) {
            return now;
        }
        if (closed) {
            throw new IllegalStateException("the source was closed");
        }
        Link link =
                Link.connect(name(), config.servers(), true, config.servers().connectTimeout());
        try {
            PullSession made = begin(link);
            isCompared = false;
            current = made;
            return made;
        } catch (IOException | RuntimeException e) {
            link.close();
            throw e;
        }
    }

    private PullSession begin(Link link) throws IOException {
        try {
            new ConsumerSetup(link.management(), config).ensure();
            return new PullSession(link, config);
        } catch (IOException e) {
            link.requireJetStream();
            throw e;
        }
    }

    /** Once for each source, however often it connects. */
    private void warn(@Nullable String sentence) {
        if (sentence != null && told.add(sentence)) {
            log.warn("{}", sentence);
        }
    }

    private void drop() {
        PullSession now = current;
        current = null;
        if (now != null) {
            now.link().close();
        }
    }

    @Override
    public boolean countsAttempts() {
        return true;
    }

    @Override
    public void close() {
        closed = true;
        drop();
    }
}
