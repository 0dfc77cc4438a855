package io.postrider.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.postrider.tck.Eventually;
import io.postrider.tck.server.RedisServer;
import java.time.Duration;
import org.assertj.core.api.Assertions;

/** A client beside those under test: it looks at the server and changes its settings. It reconnects by itself. */
final class Onlooker implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    private Onlooker(RedisURI uri) {
        client = RedisClient.create(uri);
        connection = client.connect();
    }

    static Onlooker of(RedisServer server) {
        return new Onlooker(RedisURI.create("127.0.0.1", server.port()));
    }

    static Onlooker of(RedisServer server, String password) {
        RedisURI uri = RedisURI.create("127.0.0.1", server.port());
        uri.setCredentialsProvider(new io.lettuce.core.StaticCredentialsProvider(null, password.toCharArray()));
        return new Onlooker(uri);
    }

    RedisCommands<String, String> redis() {
        return connection.sync();
    }

    /** Sends a command that has no method of its own. */
    String send(CommandType type, String... arguments) {
        CommandArgs<String, String> all = new CommandArgs<>(StringCodec.UTF8);
        for (String argument : arguments) {
            all.add(argument);
        }
        return connection.sync().dispatch(type, new StatusOutput<>(StringCodec.UTF8), all);
    }

    RedisClient client() {
        return client;
    }

    /** Waits until the server answers, and is not loading any more. */
    void awaitServer() {
        new Eventually(PATIENCE).holds(() -> {
            try {
                Assertions.assertThat(connection.sync().ping()).isEqualTo("PONG");
            } catch (io.lettuce.core.RedisException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
