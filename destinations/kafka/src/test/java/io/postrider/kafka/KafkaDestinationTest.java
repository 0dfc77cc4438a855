package io.postrider.kafka;

import io.postrider.memory.MemoryStore;
import io.postrider.store.Store;
import io.postrider.tck.destination.DestinationFixture;
import io.postrider.tck.destination.DestinationSuite;
import java.nio.file.Path;

/** The destination suite against a real broker. */
class KafkaDestinationTest extends DestinationSuite {

    @Override
    protected DestinationFixture fixture(Path folder) {
        return new KafkaFixture(folder);
    }

    @Override
    protected Store<?> store() {
        return MemoryStore.create();
    }
}
