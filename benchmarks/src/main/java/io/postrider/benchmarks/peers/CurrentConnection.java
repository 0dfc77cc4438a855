package io.postrider.benchmarks.peers;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A data source that hands out the connection of the caller's own transaction and leaves it open: the way that
 * db-scheduler's documentation gives for joining one. Outside a transaction it is the pool.
 */
final class CurrentConnection implements DataSource {
    private static final ThreadLocal<@Nullable Connection> CURRENT = new ThreadLocal<>();

    private final DataSource pool;

    CurrentConnection(DataSource pool) {
        this.pool = pool;
    }

    void during(Connection transaction, Runnable work) {
        CURRENT.set(keptOpen(transaction));
        try {
            work.run();
        } finally {
            CURRENT.remove();
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = CURRENT.get();
        return connection != null ? connection : pool.getConnection();
    }

    private static Connection keptOpen(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                CurrentConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        return null;
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return pool.getConnection(username, password);
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return pool.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        pool.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        pool.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return pool.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return pool.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return pool.isWrapperFor(type);
    }
}
