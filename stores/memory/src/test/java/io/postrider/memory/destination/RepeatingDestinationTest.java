package io.postrider.memory.destination;

import io.postrider.memory.MemoryStore;
import io.postrider.store.Store;
import io.postrider.tck.destination.DestinationFixture;
import io.postrider.tck.destination.DestinationFixture.Limitation;
import io.postrider.tck.destination.DestinationSuite;
import java.nio.file.Path;
import java.util.Set;

/** So does one to a server that keeps what it has and knows nothing of ids, which shows every duplicate. */
final class RepeatingDestinationTest extends DestinationSuite {
    @Override
    protected DestinationFixture fixture(Path folder) {
        return new FakeFixture(
                Set.of(Limitation.DOES_NOT_DEDUPLICATE), broker -> new Forwarding(FakeFixture.sound(broker)));
    }

    @Override
    protected Store<?> store() {
        return MemoryStore.create();
    }
}
