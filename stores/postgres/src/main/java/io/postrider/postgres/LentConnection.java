package io.postrider.postgres;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a transaction that Postrider ends. Work that ended it by itself would tear effect and record apart,
 * so those calls are refused; everything else passes, savepoints and {@code unwrap} included.
 */
final class LentConnection implements InvocationHandler {
    private final Connection connection;
    /** Whether Postrider has written on it: from then on its transaction is open, whatever the driver said before. */
    private boolean written;

    private LentConnection(Connection connection) {
        this.connection = connection;
    }

    static Connection of(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                LentConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new LentConnection(connection));
    }

    /** Notes that Postrider has written on this connection, if it is one that was lent. */
    static void written(Connection connection) {
        if (Proxy.isProxyClass(connection.getClass())
                && Proxy.getInvocationHandler(connection) instanceof LentConnection lent) {
            lent.written = true;
        }
    }

    static boolean isWritten(Connection handle) {
        return Proxy.getInvocationHandler(handle) instanceof LentConnection lent && lent.written;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        int count = arguments == null ? 0 : arguments.length;
        switch (method.getName()) {
            case "commit" -> throw refusal("commit");
            case "close" -> throw refusal("close");
            case "abort" -> throw refusal("abort");
            case "rollback" -> {
                if (count == 0) { // with a savepoint, it is a part that the work has marked itself
                    throw refusal("roll back");
                }
            }
            case "setAutoCommit" -> {
                if (arguments != null && Boolean.TRUE.equals(arguments[0])) {
                    throw refusal("commit, by auto-commit,");
                }
            }
            case "equals" -> {
                return arguments != null && proxy == arguments[0];
            }
            default -> {
                // passes
            }
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static IllegalStateException refusal(String what) {
        return new IllegalStateException("the work in a transaction must not " + what
                + " it: Postrider commits when the work returns, and rolls back when it throws");
    }
}
