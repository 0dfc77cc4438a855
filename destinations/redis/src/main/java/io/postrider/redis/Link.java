package io.postrider.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection at a time, and none that mends itself: a client that reconnects by itself sends again what it does not
 * know the outcome of, behind the back of whoever keeps the order. Here a lost connection stays lost, all its commands
 * fail, and the next one is made when somebody asks.
 *
 * <p>A server that was only slow may still have commands of the last connection unread. The next connection therefore
 * ends the last one on the server's side first, by its number and address, so that nothing of it is carried out later.
 * Thread-safe.
 */
final class Link<C extends StatefulRedisConnection<String, byte[]>> implements AutoCloseable {
    static final RedisCodec<String, byte[]> CODEC = RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);

    private static final Logger LOG = LoggerFactory.getLogger(Link.class);
    private static final Duration STOP_WITHIN = Duration.ofSeconds(2);
    private static final Pattern PEER = Pattern.compile("\\bid=(\\d+)\\b.*?\\baddr=(\\S+)");

    private final RedisConfig config;
    private final RedisURI uri;
    private final RedisClient client;
    private final Opening<C> opening;
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
    private @Nullable C current;
    private @Nullable Peer last;
    private @Nullable CompletableFuture<C> underWay;
    private boolean closed;

    private Link(RedisConfig config, Opening<C> opening) {
        this.config = config;
        this.uri = uri(config);
        this.client = RedisClient.create(uri);
        this.opening = opening;
        client.setOptions(options(config));
    }

    /** A connection for commands. */
    static Link<StatefulRedisConnection<String, byte[]>> commands(RedisConfig config) {
        return new Link<>(config, (client, uri) -> client.connectAsync(CODEC, uri));
    }

    /** A connection that listens to channels. */
    static Link<StatefulRedisPubSubConnection<String, byte[]>> listening(RedisConfig config) {
        return new Link<>(config, (client, uri) -> client.connectPubSubAsync(CODEC, uri));
    }

    private static RedisURI uri(RedisConfig config) {
        RedisURI.Builder uri = RedisURI.Builder.redis(config.host(), config.port())
                .withDatabase(config.database())
                .withSsl(config.tls() != null)
                .withClientName("postrider")
                .withTimeout(config.connectWithin());
        RedisConfig.Login login = config.login();
        if (login != null && login.user() != null) {
            uri.withAuthentication(login.user(), login.password().toCharArray());
        } else if (login != null) {
            uri.withPassword(login.password().toCharArray());
        }
        return uri.build();
    }

    private static ClientOptions options(RedisConfig config) {
        ClientOptions.Builder options = ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                // a command that the client alone has given up may still be carried out: who asks decides
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(config.connectWithin())
                        .keepAlive(true)
                        .build());
        if (config.tls() != null) {
            options.sslOptions(config.tls().options());
        }
        return options.build();
    }

    String address() {
        return config.address();
    }

    void onCutOff(Consumer<String> listener) {
        listeners.add(listener);
    }

    /** The connection, if there is one at present. */
    synchronized @Nullable C current() {
        return current;
    }

    /** The connection, made if there is none. A failed stage says why there still is none. */
    synchronized CompletionStage<C> connect() {
        if (closed) {
            return CompletableFuture.failedStage(new IllegalStateException("closed"));
        }
        if (current != null) {
            return CompletableFuture.completedStage(current);
        }
        if (underWay == null || underWay.isDone()) {
            underWay = opening.open(client, uri)
                    .toCompletableFuture()
                    .thenCompose(this::take)
                    .exceptionallyCompose(error -> CompletableFuture.failedFuture(unreachable(error)));
        }
        return underWay.copy();
    }

    private IllegalStateException unreachable(Throwable error) {
        return new IllegalStateException(
                "cannot connect to Redis at " + address() + ": " + Refusals.words(error), error);
    }

    /**
     * Connects for the first time, and waits for it. What no waiting heals is thrown; a server that is not there is
     * only told of, because it may come later.
     */
    void start(Function<C, CompletionStage<Void>> check) {
        try {
            connect().thenCompose(check).toCompletableFuture().join();
        } catch (CompletionException e) {
            if (!Refusals.isOfTheSetup(e)) {
                LOG.info("Redis at {} cannot be used yet, and is tried again: {}", address(), Refusals.words(e));
                return;
            }
            close();
            throw new IllegalArgumentException(
                    "Redis at " + address() + " cannot be used as it is set up: " + Refusals.words(e), e);
        }
    }

    private CompletableFuture<C> take(C connection) {
        connection.addListener(new Watch(connection));
        return endLast(connection)
                .thenCompose(done -> within(connection.async().clientInfo()))
                .thenApply(info -> become(connection, peer(info)))
                .whenComplete((taken, error) -> {
                    if (error != null) {
                        var unused = connection.closeAsync();
                    }
                });
    }

    private synchronized C become(C connection, @Nullable Peer peer) {
        if (closed || !connection.isOpen()) {
            throw new IllegalStateException("the connection was lost while it was made");
        }
        current = connection;
        last = peer;
        return connection;
    }

    private CompletableFuture<?> endLast(C connection) {
        Peer peer = lastPeer();
        if (peer == null) {
            return CompletableFuture.completedFuture(null);
        }
        KillArgs which = KillArgs.Builder.id(peer.id()).addr(peer.address());
        return within(connection.async().clientKill(which)).handle((ended, error) -> {
            if (error != null) {
                LOG.warn(
                        "Redis at {} does not let us end our last connection ({}): what it has not read of it yet may"
                                + " arrive late, and out of order",
                        address(),
                        Refusals.words(error));
            }
            return ended;
        });
    }

    private synchronized @Nullable Peer lastPeer() {
        return last;
    }

    private static @Nullable Peer peer(String info) {
        Matcher peer = PEER.matcher(info);
        return peer.find() ? new Peer(Long.parseLong(peer.group(1)), peer.group(2)) : null;
    }

    /** The answer, or a failure if there is none in time. */
    <T> CompletableFuture<T> within(CompletionStage<T> answer) {
        return answer.toCompletableFuture()
                .copy()
                .orTimeout(config.connectWithin().toMillis(), TimeUnit.MILLISECONDS);
    }

    /** The result of a check; a connection that does not answer at all is given up. */
    CompletionStage<Void> checked(C connection, CompletableFuture<Void> check) {
        return check.exceptionallyCompose(error -> {
            if (Refusals.isSilence(error)) {
                cutOff(connection, "Redis at " + address() + " does not answer");
            }
            return CompletableFuture.failedFuture(
                    new IllegalStateException("Redis at " + address() + ": " + Refusals.words(error), error));
        });
    }

    /** Fails if this key holds something else than a stream. */
    CompletableFuture<Void> requireStream(C connection, String key) {
        return within(connection.async().type(key))
                .exceptionally(error -> "none") // not to be allowed to look is no reason not to use it
                .thenAccept(type -> {
                    if (!type.equals("none") && !type.equals("stream")) {
                        throw new IllegalArgumentException("the key '" + key + "' is a " + type + " and no stream");
                    }
                });
    }

    /** Gives this connection up, unless it was before. */
    void cutOff(C connection, String why) {
        synchronized (this) {
            if (current != connection) {
                return;
            }
            current = null;
        }
        var unused = connection.closeAsync();
        listeners.forEach(listener -> listener.accept(why));
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            current = null;
        }
        client.shutdown(Duration.ZERO, STOP_WITHIN);
    }

    /** How a connection is made. */
    interface Opening<C> {
        CompletionStage<C> open(RedisClient client, RedisURI uri);
    }

    /** Our identity on a connection, as the server sees it. */
    private record Peer(long id, String address) {}

    /** Notices that a connection was lost. */
    private final class Watch implements RedisConnectionStateListener {
        private final C connection;

        Watch(C connection) {
            this.connection = connection;
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
            cutOff(connection, "the connection to Redis at " + address() + " was lost");
        }
    }
}
