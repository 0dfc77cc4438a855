package io.postrider.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** StorePorts on 127.0.0.1. */
final class Port {

    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    private Port() {}

    /** The given port if nobody listens on it, or a free one for 0. */
    static int choose(int wanted) {
        try (ServerSocket socket = bind(wanted)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "Port " + wanted + " on 127.0.0.1 cannot be used for PostgreSQL (" + e.getMessage()
                            + "): stop what listens there, or choose another port.",
                    e);
        }
    }

    static boolean isFree(int port) {
        try (ServerSocket socket = bind(port)) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** With SO_REUSEADDR, as PostgreSQL binds: connections that linger after a stop do not count. */
    private static ServerSocket bind(int port) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port));
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }
}
