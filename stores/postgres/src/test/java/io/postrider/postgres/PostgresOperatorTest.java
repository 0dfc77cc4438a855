package io.postrider.postgres;

import io.postrider.tck.OperatorSuite;
import io.postrider.tck.StoreFixture;
import java.sql.Connection;

/** Operators on a real PostgreSQL, each test in a database of its own. */
class PostgresOperatorTest extends OperatorSuite<Connection> {
    @Override
    protected StoreFixture<Connection> fixture() {
        return new PostgresFixture();
    }
}
