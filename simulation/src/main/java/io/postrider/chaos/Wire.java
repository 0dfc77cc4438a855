package io.postrider.chaos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A way to PostgreSQL that can go bad: it delays, cuts, or swallows what it is given while everyone believes to be
 * connected, and keeps count of what it did. It can be led to another server. Thread-safe.
 */
final class Wire implements AutoCloseable {
    private final ServerSocket listener;
    private volatile int target;
    private final HarnessThreads threads;
    private final Queue<Link> links = new ConcurrentLinkedQueue<>();
    private final AtomicLong delayedPieces = new AtomicLong();
    private final AtomicLong cutConnections = new AtomicLong();
    private final AtomicLong swallowedBytes = new AtomicLong();
    private volatile Duration delay = Duration.ZERO;
    private volatile boolean swallowing;
    private volatile boolean fenced;

    private Wire(ServerSocket listener, int target, HarnessThreads threads) {
        this.listener = listener;
        this.target = target;
        this.threads = threads;
    }

    /** A wire to this port. */
    static Wire to(int target, HarnessThreads threads) throws IOException {
        Wire wire = new Wire(new ServerSocket(0, 0, InetAddress.getLoopbackAddress()), target, threads);
        threads.accept("wire", wire.listener, wire::connect);
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

    /** A piece of data has waited. */
    void delayed() {
        delayedPieces.incrementAndGet();
    }

    /** How many pieces of data have waited so far. */
    long delayedPieces() {
        return delayedPieces.get();
    }

    /** Ends all connections; new ones work. */
    void cut() {
        cutConnections.addAndGet(openConnections());
        links.forEach(Link::close);
        links.clear();
    }

    /** How many connections there are. */
    long openConnections() {
        return links.stream().filter(Link::open).count();
    }

    /** Ends all connections and every new one, until the wire leads to another server. */
    void fence() {
        fenced = true;
        cut();
    }

    /** New connections lead to this port. */
    void leadTo(int port) {
        target = port;
        fenced = false;
    }

    /** How many connections have been cut so far. */
    long cutConnections() {
        return cutConnections.get();
    }

    /** From now on nothing gets through, and nobody is told: neither on connections that exist nor on new ones. */
    void swallow() {
        swallowing = true;
        links.forEach(Link::swallow);
    }

    /** So many bytes did not get through. */
    void swallowed(int bytes) {
        swallowedBytes.addAndGet(bytes);
    }

    /** How many bytes have not got through so far. */
    long swallowedBytes() {
        return swallowedBytes.get();
    }

    /** New connections work again; those that were swallowed stay dead, as with a router that forgot them. */
    void heal() {
        delay = Duration.ZERO;
        swallowing = false;
    }

    private void connect(Socket client) {
        Link link = new Link(client, this, threads);
        links.add(link);
        if (fenced) {
            link.close();
            return;
        }
        if (swallowing) {
            link.swallow();
        }
        link.start(target);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cut();
    }
}
