package io.postrider.memory.destination;

import io.postrider.memory.MemoryStore;
import io.postrider.store.Store;
import io.postrider.tck.destination.DestinationFixture;
import io.postrider.tck.destination.DestinationSuite;
import java.nio.file.Path;
import java.util.Set;

/** A sound destination that can do everything passes the suite. */
final class FakeDestinationTest extends DestinationSuite {
    @Override
    protected DestinationFixture fixture(Path folder) {
        return new FakeFixture(Set.of(), FakeFixture::sound);
    }

    @Override
    protected Store<?> store() {
        return MemoryStore.create();
    }
}
