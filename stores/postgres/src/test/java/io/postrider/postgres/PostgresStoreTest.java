package io.postrider.postgres;

import io.postrider.tck.StoreFixture;
import io.postrider.tck.StoreSuite;
import java.sql.Connection;

/** The ports on a real PostgreSQL, each test in a database of its own. */
class PostgresStoreTest extends StoreSuite<Connection> {
    @Override
    protected StoreFixture<Connection> fixture() {
        return new PostgresFixture();
    }
}
