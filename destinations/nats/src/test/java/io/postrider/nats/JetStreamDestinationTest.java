package io.postrider.nats;

import io.postrider.memory.MemoryStore;
import io.postrider.store.Store;
import io.postrider.tck.destination.DestinationFixture;
import io.postrider.tck.destination.DestinationSuite;
import java.nio.file.Path;

/** JetStream keeps what every destination promises. */
final class JetStreamDestinationTest extends DestinationSuite {
    @Override
    protected DestinationFixture fixture(Path folder) {
        return new JetStreamFixture(folder);
    }

    @Override
    protected Store<?> store() {
        return MemoryStore.create();
    }
}
