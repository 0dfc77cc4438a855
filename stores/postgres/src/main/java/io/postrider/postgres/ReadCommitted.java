package io.postrider.postgres;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A connection in auto-commit mode whose statements are each a READ COMMITTED transaction. BEGIN, the statement and
 * COMMIT are sent together, so that no lock outlives a round trip. Statements that begin or end a transaction by
 * themselves pass as they are, and so does everything within a transaction of the driver's.
 */
final class ReadCommitted implements InvocationHandler {
    private final Connection connection;

    private ReadCommitted(Connection connection) {
        this.connection = connection;
    }

    static Connection of(Connection connection) {
        return proxy(Connection.class, new ReadCommitted(connection));
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(ReadCommitted.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        boolean alone = connection.getAutoCommit();
        if (alone && method.getName().equals("createStatement")) {
            return proxy(Statement.class, new Alone(statement(method, arguments), false));
        }
        if (alone && method.getName().equals("prepareStatement") && arguments != null && isWrapped(arguments[0])) {
            return proxy(PreparedStatement.class, new Alone(statement(method, wrapped(arguments)), true));
        }
        return call(connection, method, arguments);
    }

    private Statement statement(Method method, Object @Nullable [] arguments) throws Throwable {
        return (Statement) Objects.requireNonNull(call(connection, method, arguments));
    }

    private static boolean isWrapped(@Nullable Object sql) {
        return !FirstWord.isOfTransaction(String.valueOf(sql));
    }

    private static Object[] wrapped(Object[] arguments) {
        Object[] wrapped = Arrays.copyOf(arguments, arguments.length);
        wrapped[0] = SessionIsolation.BEGIN + ";\n" + arguments[0] + "\n;\nCOMMIT";
        return wrapped;
    }

    private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    /** A statement whose first result is that of its BEGIN, which nobody wants. */
    private final class Alone implements InvocationHandler {
        private final Statement statement;
        private final boolean prepared;

        Alone(Statement statement, boolean prepared) {
            this.statement = statement;
            this.prepared = prepared;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            return switch (method.getName()) {
                case "execute", "executeQuery", "executeUpdate" -> run(method, arguments);
                case "executeBatch", "executeLargeUpdate", "executeLargeBatch" ->
                    throw new UnsupportedOperationException(method.getName() + " names no isolation");
                default -> call(statement, method, arguments);
            };
        }

        private @Nullable Object run(Method method, Object @Nullable [] arguments) throws Throwable {
            if (!prepared && (arguments == null || !isWrapped(arguments[0]))) {
                return call(statement, method, arguments);
            }
            try {
                if (arguments == null) {
                    ((PreparedStatement) statement).execute();
                } else {
                    statement.execute((String) wrapped(arguments)[0]);
                }
                boolean rows = statement.getMoreResults();
                return switch (method.getName()) {
                    case "execute" -> rows;
                    case "executeQuery" -> statement.getResultSet();
                    default -> statement.getUpdateCount();
                };
            } catch (SQLException e) {
                rollBack(e);
                throw e;
            }
        }

        private void rollBack(SQLException failure) {
            try (var rollback = connection.createStatement()) {
                rollback.execute("ROLLBACK");
            } catch (SQLException e) {
                failure.addSuppressed(e);
            }
        }
    }
}
