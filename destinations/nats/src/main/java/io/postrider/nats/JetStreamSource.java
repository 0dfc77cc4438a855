package io.postrider.nats;

import io.postrider.spi.Source;
import io.postrider.spi.SourceException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages of a stream, through a durable consumer that is pulled from: each comes again until it is acknowledged, on
 * whichever node.
 *
 * <p>One thread pulls; messages may be answered on any thread.
 */
public final class JetStreamSource implements Source {
    private static final Logger log = LoggerFactory.getLogger(JetStreamSource.class);

    private final JetStreamSourceConfig config;
    private volatile @Nullable PullSession current;
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
            log.warn("{}: messages wait until it is back", e.getMessage());
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
    public List<Arrival> pull(int most, Duration wait) throws InterruptedException {
        if (most < 1) {
            throw new IllegalArgumentException("a pull takes at least one message, got " + most);
        }
        try {
            return session().pull(most, wait);
        } catch (IOException | IllegalStateException e) {
            drop();
            throw new SourceException(name() + " does not answer: " + e.getMessage(), e);
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
