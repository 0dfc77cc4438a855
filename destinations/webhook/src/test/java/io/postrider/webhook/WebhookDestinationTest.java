package io.postrider.webhook;

import io.postrider.memory.MemoryStore;
import io.postrider.store.Store;
import io.postrider.tck.destination.DestinationFixture;
import io.postrider.tck.destination.DestinationSuite;
import java.nio.file.Path;

/** What every destination promises, with the event in the body. */
final class WebhookDestinationTest extends DestinationSuite {
    @Override
    protected DestinationFixture fixture(Path folder) {
        return new WebhookFixture(WebhookConfig.ENVELOPE, Reading.envelope());
    }

    @Override
    protected Store<?> store() {
        return MemoryStore.create();
    }
}
