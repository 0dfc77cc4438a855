package io.postrider.redis;

import io.postrider.destination.Destination;
import io.postrider.tck.destination.DestinationFixture;
import io.postrider.tck.server.RedisServer;
import java.time.Duration;

/** What the fixtures of this module share: a server, and somebody who looks at it. */
abstract class ServerFixture implements DestinationFixture {
    static final Destination.Profile PROFILE = new Destination.Profile("redis", 16, 64, Duration.ofSeconds(2));

    final RedisServer server;
    final Onlooker onlooker;

    ServerFixture(RedisServer.Setup setup) {
        server = setup.start();
        onlooker = Onlooker.of(server);
    }

    RedisConfig redis() {
        return RedisConfig.at("127.0.0.1", server.port()).connectWithin(Duration.ofSeconds(3));
    }

    @Override
    public void stopServer() {
        server.kill();
    }

    @Override
    public void startServer() {
        server.start();
        onlooker.awaitServer();
    }

    @Override
    public void pauseServer() {
        server.pauseProcess();
    }

    @Override
    public void resumeServer() {
        server.resumeProcess();
        onlooker.awaitServer();
    }

    @Override
    public void close() {
        onlooker.close();
        server.close();
    }
}
