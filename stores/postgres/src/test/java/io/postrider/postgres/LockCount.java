package io.postrider.postgres;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections that count what each of their transactions has locked. What would be committed with its statement, or by
 * its own text, is committed here, after the count.
 */
final class LockCount {
    private int most;

    /** The most relations that one transaction had locked since the last call. */
    int most() {
        int counted = most;
        most = 0;
        return counted;
    }

    DataSource on(DataSource real) {
        return proxy(DataSource.class, (method, args) -> {
            Object result = method.invoke(real, args);
            return result instanceof Connection connection ? on(connection) : result;
        });
    }

    /**
     * In auto-commit mode, as its user sees it, each statement is a transaction, which is committed after the count.
     */
    private Connection on(Connection real) throws SQLException {
        boolean[] autocommit = {real.getAutoCommit()};
        real.setAutoCommit(false);
        return proxy(Connection.class, (method, args) -> switch (method.getName()) {
            case "getAutoCommit" -> autocommit[0];
            case "setAutoCommit" -> {
                real.commit();
                autocommit[0] = (boolean) args[0];
                yield null;
            }
            case "commit" -> {
                count(real);
                real.commit();
                yield null;
            }
            case "close" -> {
                real.rollback();
                real.setAutoCommit(true);
                real.close();
                yield null;
            }
            case "prepareStatement" ->
                on(real, PreparedStatement.class, real.prepareStatement(uncommitted((String) args[0])), autocommit);
            case "createStatement" -> on(real, Statement.class, real.createStatement(), autocommit);
            default -> method.invoke(real, args);
        });
    }

    private <S extends Statement> S on(Connection connection, Class<S> type, S real, boolean[] autocommit) {
        return proxy(type, (method, args) -> {
            boolean executes = method.getName().startsWith("execute");
            if (executes && args != null && args[0] instanceof String sql) {
                args[0] = uncommitted(sql);
            }
            try {
                Object result = method.invoke(real, args);
                if (executes && autocommit[0]) {
                    count(connection);
                    connection.commit();
                }
                return result;
            } catch (InvocationTargetException e) {
                if (executes && autocommit[0]) {
                    connection.rollback();
                }
                throw e;
            }
        });
    }

    private static String uncommitted(String sql) {
        return sql.replaceAll("COMMIT\\s*$", "SELECT 1");
    }

    private void count(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(DISTINCT relation) FROM pg_locks"
                        + " WHERE pid = pg_backend_pid() AND locktype = 'relation'")) {
            row.next();
            most = Math.max(most, row.getInt(1));
        }
    }

    private interface Call {
        @Nullable
        Object run(Method method, Object[] args) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                LockCount.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                    try {
                        return call.run(method, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
