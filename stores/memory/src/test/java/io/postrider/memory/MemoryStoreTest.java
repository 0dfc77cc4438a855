package io.postrider.memory;

import io.postrider.tck.StoreFixture;
import io.postrider.tck.StoreSuite;

final class MemoryStoreTest extends StoreSuite<MemoryTransaction> {
    @Override
    protected StoreFixture<MemoryTransaction> fixture() {
        return new MemoryFixture();
    }
}
