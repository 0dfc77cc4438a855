package io.postrider.postgres;

import java.sql.SQLException;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * What PostgreSQL reports, without what it reports it about: its detail is the row that was refused, its context may be
 * the JSON text, and both would reach every log that an exception reaches.
 */
final class ServerError {
    private static final String CHECK = "23514";
    private static final String UNIQUE = "23505";
    private static final String DEADLOCK = "40P01";
    /** Of a default partition: no position of a segment. */
    private static final String BEYOND = "beyond";

    private static final String UNDEFINED_TABLE = "42P01";
    private static final String SEQUENCE_AT_ITS_END = "2200H";

    private ServerError() {}

    /**
     * Whether the log is at fault although the state names the data: a row without a partition violates a check in
     * PostgreSQL's eyes, but a segment is missing. Such an error names no constraint, or that of the default partition;
     * what the functions of the log refuse names another.
     */
    static boolean isOfTheLog(SQLException e) {
        if (SEQUENCE_AT_ITS_END.equals(e.getSQLState())) {
            return true;
        }
        ServerErrorMessage answer = e instanceof PSQLException server ? server.getServerErrorMessage() : null;
        return CHECK.equals(e.getSQLState())
                && answer != null
                && (answer.getConstraint() == null || answer.getConstraint().equals(BEYOND));
    }

    /** Whether the store failed because two of its transactions waited for each other, and this one was ended. */
    static boolean isDeadlock(Throwable failure) {
        Throwable cause = failure;
        while (cause != null && !(cause instanceof SQLException)) {
            cause = cause.getCause();
        }
        return cause != null && DEADLOCK.equals(((SQLException) cause).getSQLState());
    }

    /** Whether a row was refused because this unique index has its value already. */
    static boolean isDuplicate(SQLException e, String index) {
        ServerErrorMessage answer = e instanceof PSQLException server ? server.getServerErrorMessage() : null;
        return UNIQUE.equals(e.getSQLState()) && answer != null && index.equals(answer.getConstraint());
    }

    /** Whether a table is not there: a segment was dropped while a statement named it. */
    static boolean isUndefinedTable(SQLException e) {
        return UNDEFINED_TABLE.equals(e.getSQLState());
    }

    /** The same error with its first line alone; one that is not PostgreSQL's answer is left as it is. */
    static SQLException withoutDetail(SQLException e) {
        ServerErrorMessage answer = e instanceof PSQLException server ? server.getServerErrorMessage() : null;
        if (answer == null) {
            return e;
        }
        SQLException told = new SQLException(answer.getMessage(), e.getSQLState(), e.getErrorCode());
        told.setStackTrace(e.getStackTrace());
        return told;
    }
}
