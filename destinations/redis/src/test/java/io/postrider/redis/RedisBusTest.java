package io.postrider.redis;

import io.postrider.memory.MemoryStore;
import io.postrider.store.Store;
import io.postrider.tck.destination.DestinationFixture;
import io.postrider.tck.destination.DestinationSuite;
import java.nio.file.Path;

final class RedisBusTest extends DestinationSuite {
    @Override
    protected DestinationFixture fixture(Path folder) {
        return new BusFixture(folder);
    }

    @Override
    protected Store<?> store() {
        return MemoryStore.create();
    }
}
