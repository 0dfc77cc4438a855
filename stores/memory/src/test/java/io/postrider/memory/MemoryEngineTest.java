package io.postrider.memory;

import io.postrider.tck.EngineSuite;
import io.postrider.tck.StoreFixture;

final class MemoryEngineTest extends EngineSuite<MemoryTransaction> {
    @Override
    protected StoreFixture<MemoryTransaction> fixture() {
        return new MemoryFixture();
    }
}
