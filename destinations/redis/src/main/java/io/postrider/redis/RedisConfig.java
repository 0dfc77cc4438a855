package io.postrider.redis;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where a Redis server is and how to log in. Immutable. The password is in no text that this makes of itself.
 *
 * @param host its name or address
 * @param port its port
 * @param database which of its numbered databases; Pub/Sub knows none
 * @param login who we are, if the server wants to know
 * @param tls how to speak TLS, if at all
 * @param connectWithin how long connecting and each step of the handshake may take
 */
public record RedisConfig(
        String host,
        int port,
        int database,
        @Nullable Login login,
        @Nullable RedisTls tls,
        Duration connectWithin) {
    private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);

    public RedisConfig {
        if (host.isBlank()) {
            throw new IllegalArgumentException("a Redis server needs a host");
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("a port is a number from 1 to 65535, got " + port);
        }
        if (database < 0) {
            throw new IllegalArgumentException("a database of Redis has a number from 0, got " + database);
        }
        requirePositive("connectWithin", connectWithin);
    }

    /** A server that wants no password and speaks no TLS. */
    public static RedisConfig at(String host, int port) {
        return new RedisConfig(host, port, 0, null, null, CONNECT_WITHIN);
    }

    public RedisConfig database(int database) {
        return new RedisConfig(host, port, database, login, tls, connectWithin);
    }

    /** The password of the server, or of its user {@code default}, which is the same. */
    public RedisConfig password(String password) {
        return new RedisConfig(host, port, database, new Login(null, password), tls, connectWithin);
    }

    /** A user of its access control list. */
    public RedisConfig user(String user, String password) {
        return new RedisConfig(host, port, database, new Login(user, password), tls, connectWithin);
    }

    public RedisConfig tls(RedisTls tls) {
        return new RedisConfig(host, port, database, login, tls, connectWithin);
    }

    public RedisConfig connectWithin(Duration connectWithin) {
        return new RedisConfig(host, port, database, login, tls, connectWithin);
    }

    /** The name for people: host and port. */
    String address() {
        return host + ":" + port;
    }

    static void requirePositive(String name, Duration duration) {
        if (duration.isZero() || duration.isNegative()) {
            throw new IllegalArgumentException(name + " is longer than nothing, got " + duration);
        }
    }

    static void requireAtLeast(String name, long least, long number) {
        if (number < least) {
            throw new IllegalArgumentException(name + " is at least " + least + ", got " + number);
        }
    }

    /** A user, or the server's own if it is null, and the password. */
    public record Login(@Nullable String user, String password) {
        public Login {
            if (password.isEmpty()) {
                throw new IllegalArgumentException("a login needs a password");
            }
        }

        @Override
        public String toString() {
            return "Login[user=" + user + ", password=***]";
        }
    }
}
