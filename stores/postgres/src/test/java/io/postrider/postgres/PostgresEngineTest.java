package io.postrider.postgres;

import io.postrider.tck.EngineSuite;
import io.postrider.tck.StoreFixture;
import java.sql.Connection;

/** Nodes on a real PostgreSQL, each test in a database of its own. */
class PostgresEngineTest extends EngineSuite<Connection> {
    @Override
    protected StoreFixture<Connection> fixture() {
        return new PostgresFixture();
    }
}
