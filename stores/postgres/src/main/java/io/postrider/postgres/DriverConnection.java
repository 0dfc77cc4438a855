package io.postrider.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.PgConnection;

/** The driver's connection behind that of a pool. */
final class DriverConnection {
    private DriverConnection() {}

    /** Null where the driver is another, or somebody in front of it keeps its connection back. */
    static @Nullable PgConnection behind(Connection connection) throws SQLException {
        // An Object: a proxy of the host's may answer with a proxy.
        Object driver = connection.isWrapperFor(PgConnection.class) ? connection.unwrap(PgConnection.class) : null;
        return driver instanceof PgConnection known ? known : null;
    }
}
