package io.postrider.webhook;

import io.postrider.memory.MemoryStore;
import io.postrider.store.Store;
import io.postrider.tck.destination.DestinationFixture;
import io.postrider.tck.destination.DestinationSuite;
import io.postrider.wire.Encoding;
import java.nio.file.Path;

/** What every destination promises, with the payload in the body and the rest in headers. */
final class PlainWebhookDestinationTest extends DestinationSuite {
    @Override
    protected DestinationFixture fixture(Path folder) {
        return new WebhookFixture(Encoding.plain(), Reading.message("unknown"));
    }

    @Override
    protected Store<?> store() {
        return MemoryStore.create();
    }
}
