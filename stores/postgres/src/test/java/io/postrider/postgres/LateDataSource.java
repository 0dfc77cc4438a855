package io.postrider.postgres;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A database that refuses connections for so many tries, as one that is still starting. */
final class LateDataSource implements DataSource {
    private final DataSource dataSource;
    private final AtomicInteger refusals;

    LateDataSource(DataSource dataSource, int refusals) {
        this.dataSource = dataSource;
        this.refusals = new AtomicInteger(refusals);
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (refusals.getAndDecrement() > 0) {
            throw new SQLException("FATAL: the database system is starting up", "57P03");
        }
        return dataSource.getConnection();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }

    @Override
    public PrintWriter getLogWriter() {
        return new PrintWriter(System.err, true);
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return dataSource.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return dataSource.isWrapperFor(type);
    }
}
