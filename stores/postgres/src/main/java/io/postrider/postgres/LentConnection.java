package io.postrider.postgres;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.PgConnection;

/**
 * The connection of a transaction that Postrider ends. Work that ended it by itself would tear effect and record apart,
 * so those calls are refused; everything else passes, savepoints and {@code unwrap} included.
 */
final class LentConnection implements InvocationHandler {
    private final Connection connection;
    /** Whether Postrider has written on it: from then on its transaction is open, whatever the driver said before. */
    private boolean written;
    /** The work has marked a place to which it may go back. */
    private boolean marked;
    /** Writes what waits for the commit; null where nothing does. */
    private @Nullable Runnable writeNow;
    /** The work has ended the transaction by itself while something waited. */
    private boolean ended;

    private LentConnection(Connection connection) {
        this.connection = connection;
    }

    static Connection of(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                LentConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new LentConnection(connection));
    }

    /** The one that stands for this connection; null if none does. */
    static @Nullable LentConnection behind(Connection connection) {
        return Proxy.isProxyClass(connection.getClass())
                        && Proxy.getInvocationHandler(connection) instanceof LentConnection lent
                ? lent
                : null;
    }

    /** Notes that Postrider has written on this connection, if it is one that was lent. */
    static void written(Connection connection) {
        LentConnection lent = behind(connection);
        if (lent != null) {
            lent.written = true;
        }
    }

    static boolean isWritten(Connection handle) {
        LentConnection lent = behind(handle);
        return lent != null && lent.written;
    }

    /** Whether something may wait for the commit: the transaction has begun, and commits as a whole or not at all. */
    boolean letWait(Runnable write) throws SQLException {
        look();
        if (marked || ended || state() != TransactionState.OPEN) {
            return false;
        }
        writeNow = write;
        return true;
    }

    /** Whether the transaction in which something waits is the one that will be committed. */
    boolean isStillOpen() throws SQLException {
        look();
        return !ended && state() == TransactionState.OPEN;
    }

    /** At each call, because another transaction may have begun by the next one. */
    private void look() throws SQLException {
        ended |= writeNow != null && state() == TransactionState.IDLE;
    }

    /** Idle where the driver is another, and nobody knows. */
    private TransactionState state() throws SQLException {
        PgConnection driver = DriverConnection.behind(connection);
        return driver == null ? TransactionState.IDLE : driver.getTransactionState();
    }

    private void mark() {
        marked = true;
        Runnable write = writeNow;
        if (write != null && ended) {
            throw refusal("end");
        }
        writeNow = null;
        if (write != null) {
            write.run();
        }
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        int count = arguments == null ? 0 : arguments.length;
        look();
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
            case "setSavepoint" -> mark();
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
