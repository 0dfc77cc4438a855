package io.postrider.postgres;

import java.sql.SQLException;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * What PostgreSQL reports, without what it reports it about: its detail is the row that was refused, its context may be
 * the JSON text, and both would reach every log that an exception reaches.
 */
final class ServerError {
    private ServerError() {}

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
