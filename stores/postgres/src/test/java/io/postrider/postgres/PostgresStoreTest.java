package io.postrider.postgres;

import io.postrider.tck.StoreFixture;
import io.postrider.tck.StoreSuite;
import java.sql.Connection;

/** The conformance suite on a real PostgreSQL, each test in a schema of its own. */
class PostgresStoreTest extends StoreSuite<Connection> {
    @Override
    protected StoreFixture<Connection> fixture() {
        return new PostgresFixture();
    }
}
