package io.postrider.tck.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports on loopback for servers that begin a moment later. They lie below those that the system gives to outgoing
 * connections, so nobody takes one by chance meanwhile, and none is given out twice.
 */
public final class Ports {
    private static final int FIRST = 20_000;
    private static final int BEHIND_LAST = 32_000;

    private static int next = ThreadLocalRandom.current().nextInt(FIRST, BEHIND_LAST);

    private Ports() {}

    /** A port that nobody listens on at present, and that this process has not been given before. */
    public static synchronized int free() {
        for (int tried = FIRST; tried < BEHIND_LAST; tried++) {
            int port = next;
            next = port + 1 < BEHIND_LAST ? port + 1 : FIRST;
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("No port between " + FIRST + " and " + BEHIND_LAST + " is free.");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
