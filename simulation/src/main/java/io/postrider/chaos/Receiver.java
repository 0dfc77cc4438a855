package io.postrider.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The ledger of arrivals. Handlers report over a loopback connection and go on when their report is acknowledged, so
 * nothing that was handled is missing here, whatever becomes of the node. Thread-safe.
 */
final class Receiver implements AutoCloseable {
    static final int RECEIVED = '+';

    private final ServerSocket listener;
    private final Set<Socket> nodes = ConcurrentHashMap.newKeySet();
    private final Set<UUID> seen = ConcurrentHashMap.newKeySet();
    private final List<Arrival> arrivals = new ArrayList<>();

    private Receiver(ServerSocket listener) {
        this.listener = listener;
    }

    static Receiver open(HarnessThreads threads) throws IOException {
        Receiver receiver = new Receiver(new ServerSocket(0, 0, InetAddress.getLoopbackAddress()));
        threads.accept("receiver", receiver.listener, node -> {
            receiver.nodes.add(node);
            threads.start("receiver of a node", () -> receiver.receive(node));
        });
        return receiver;
    }

    int port() {
        return listener.getLocalPort();
    }

    boolean hasSeen(UUID id) {
        return seen.contains(id);
    }

    /** In the order in which they were received. */
    List<Arrival> arrivals() {
        synchronized (arrivals) {
            return List.copyOf(arrivals);
        }
    }

    /** How many nodes can report. */
    int connected() {
        return nodes.size();
    }

    private void receive(Socket node) {
        try (node;
                var reports =
                        new BufferedReader(new InputStreamReader(node.getInputStream(), StandardCharsets.US_ASCII))) {
            node.setTcpNoDelay(true);
            for (String line = reports.readLine(); line != null; line = reports.readLine()) {
                received(line);
                node.getOutputStream().write(RECEIVED);
            }
        } catch (IOException e) {
            // The node is gone; if it is not, Cluster.requireWhole says so.
        } finally {
            nodes.remove(node);
        }
    }

    private void received(String line) {
        synchronized (arrivals) {
            Arrival arrival = Arrival.parse(line, Moment.now());
            arrivals.add(arrival);
            seen.add(arrival.event().id());
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket node : nodes) {
            node.close();
        }
    }
}
