package io.postrider.postgres.load;

import io.postrider.EventContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;

/**
 * A file of arrivals, one line each. A line is with the operating system before its handler returns, so it outlives a
 * SIGKILL of the process that wrote it. Thread-safe.
 */
final class ArrivalLedger implements AutoCloseable {
    private final FileChannel file;

    private ArrivalLedger(FileChannel file) {
        this.file = file;
    }

    static ArrivalLedger open(Path path) throws IOException {
        return new ArrivalLedger(FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    /** The handler. */
    void arrived(NumberedEvent.Content content, EventContext context) throws IOException {
        Instant now = Instant.now();
        NumberedEvent event =
                new NumberedEvent(context.id().value(), context.key().orElseThrow(), content.sequence());
        write(new Arrival(event, now).line() + "\n");
    }

    private synchronized void write(String line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII));
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /** The arrivals of a ledger; a last line that a kill cut off is not one. */
    static List<Arrival> read(Path path) throws IOException {
        String text = Files.readString(path, StandardCharsets.US_ASCII);
        String whole = text.substring(0, text.lastIndexOf('\n') + 1);
        return whole.lines().map(Arrival::parse).toList();
    }
}
