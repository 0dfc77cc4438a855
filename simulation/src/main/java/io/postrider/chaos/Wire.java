package io.postrider.chaos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A way to PostgreSQL that can go bad: it delays, cuts, or swallows what it is given while everyone believes to be
 * connected. Thread-safe.
 */
final class Wire implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final Queue<Link> links = new ConcurrentLinkedQueue<>();
    private volatile Duration delay = Duration.ZERO;
    private volatile boolean swallowing;

    private Wire(ServerSocket listener, int target) {
        this.listener = listener;
        this.target = target;
    }

    /** A wire to this port. */
    static Wire to(int target) throws IOException {
        Wire wire = new Wire(new ServerSocket(0, 0, InetAddress.getLoopbackAddress()), target);
        Link.thread("wire", wire::accept);
        return wire;
    }

    int port() {
        return listener.getLocalPort();
    }

    /** From now on each piece of data waits this long, in each direction. */
    void delay(Duration delay) {
        this.delay = delay;
    }

    Duration delay() {
        return delay;
    }

    /** Ends all connections; new ones work. */
    void cut() {
        links.forEach(Link::close);
        links.clear();
    }

    /** From now on nothing gets through, and nobody is told: neither on connections that exist nor on new ones. */
    void swallow() {
        swallowing = true;
        links.forEach(Link::swallow);
    }

    /** New connections work again; those that were swallowed stay dead, as with a router that forgot them. */
    void heal() {
        delay = Duration.ZERO;
        swallowing = false;
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            client.setTcpNoDelay(true);
            Link link = new Link(client, this);
            links.add(link);
            if (swallowing) {
                link.swallow();
            }
            link.start(target);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cut();
    }
}
