package io.postrider.redis;

import io.postrider.memory.MemoryStore;
import io.postrider.store.Store;
import io.postrider.tck.destination.DestinationFixture;
import io.postrider.tck.destination.DestinationSuite;
import java.nio.file.Path;
import java.time.Duration;

final class RedisStreamTest extends DestinationSuite {
    @Override
    protected DestinationFixture fixture(Path folder) {
        return new StreamFixture(folder, Duration.ZERO);
    }

    @Override
    protected Store<?> store() {
        return MemoryStore.create();
    }
}
