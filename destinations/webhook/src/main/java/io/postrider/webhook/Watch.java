package io.postrider.webhook;

import java.io.IOException;
import java.net.Proxy;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Ends connections that take too long, and all of them at the end. A time-out of a socket bounds a single read only,
 * and a stranger may send a byte now and then for ever. Thread-safe.
 */
final class Watch {
    private final ScheduledExecutorService timer;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    Watch(ScheduledExecutorService timer) {
        this.timer = timer;
    }

    Socket socket() {
        Socket socket = new Socket(Proxy.NO_PROXY);
        open.add(socket);
        if (closed) {
            end(socket);
        }
        return socket;
    }

    void end(Socket socket) {
        open.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            // The connection is of no more use either way.
        }
    }

    /** Ends the socket unless the turn is over within this time. */
    Turn over(Socket socket, Duration limit) {
        return new Turn(socket, limit);
    }

    void close() {
        closed = true;
        open.forEach(this::end);
    }

    /** A time in which something must be done. */
    final class Turn implements AutoCloseable {
        private final Future<?> end;
        private volatile boolean expired;

        private Turn(Socket socket, Duration limit) {
            end = timer.schedule(
                    () -> {
                        expired = true;
                        end(socket);
                    },
                    limit.toNanos(),
                    TimeUnit.NANOSECONDS);
        }

        boolean isExpired() {
            return expired;
        }

        @Override
        public void close() {
            end.cancel(false);
        }
    }
}
