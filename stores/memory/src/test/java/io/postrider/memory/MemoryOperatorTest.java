package io.postrider.memory;

import io.postrider.tck.OperatorSuite;
import io.postrider.tck.StoreFixture;

final class MemoryOperatorTest extends OperatorSuite<MemoryTransaction> {
    @Override
    protected StoreFixture<MemoryTransaction> fixture() {
        return new MemoryFixture();
    }
}
