package io.postrider.chaos;

import io.postrider.EventContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** The handler of a node: tells the receiver of each event, and returns when that has it. Thread-safe. */
final class Reporter implements AutoCloseable {
    private final String node;
    private final Socket receiver;

    private Reporter(String node, Socket receiver) {
        this.node = node;
        this.receiver = receiver;
    }

    static Reporter to(int port, String node) throws IOException {
        Socket receiver = new Socket(InetAddress.getLoopbackAddress(), port);
        receiver.setTcpNoDelay(true);
        return new Reporter(node, receiver);
    }

    void report(NumberedEvent.Content content, EventContext context) throws IOException {
        report(new NumberedEvent(context.id().value(), context.key().orElseThrow(), content.sequence()));
    }

    void report(NumberedEvent event) throws IOException {
        byte[] line = (Arrival.line(event, node) + "\n").getBytes(StandardCharsets.US_ASCII);
        synchronized (this) {
            receiver.getOutputStream().write(line);
            if (receiver.getInputStream().read() != Receiver.RECEIVED) {
                throw new IOException("The receiver is gone");
            }
        }
    }

    @Override
    public void close() throws IOException {
        receiver.close();
    }
}
