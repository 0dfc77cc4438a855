package io.postrider.postgres;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Binds a statement's parameters one after the other, so that a long one needs no numbers. */
final class Parameters {
    private final PreparedStatement statement;
    private int last;

    /** Binds some of them. */
    @FunctionalInterface
    interface Binding {
        void bind(Parameters parameters) throws SQLException;
    }

    Parameters(PreparedStatement statement) {
        this.statement = statement;
    }

    Parameters text(@Nullable String value) throws SQLException {
        statement.setString(++last, value);
        return this;
    }

    Parameters texts(Collection<String> values) throws SQLException {
        statement.setArray(++last, statement.getConnection().createArrayOf("text", values.toArray()));
        return this;
    }

    Parameters numbers(Collection<Long> values) throws SQLException {
        statement.setArray(++last, statement.getConnection().createArrayOf("bigint", values.toArray()));
        return this;
    }

    Parameters number(@Nullable Long value) throws SQLException {
        if (value == null) {
            statement.setNull(++last, Types.BIGINT);
        } else {
            statement.setLong(++last, value);
        }
        return this;
    }

    Parameters number(int value) throws SQLException {
        statement.setInt(++last, value);
        return this;
    }

    /** A number that may be missing. */
    Parameters integer(@Nullable Integer value) throws SQLException {
        if (value == null) {
            statement.setNull(++last, Types.INTEGER);
        } else {
            statement.setInt(++last, value);
        }
        return this;
    }

    /** As text that the statement casts. */
    Parameters time(@Nullable Instant value) throws SQLException {
        return text(Rows.text(value));
    }

    Parameters micros(Duration value) throws SQLException {
        statement.setLong(++last, inMicros(value));
        return this;
    }

    /** As statements have it that multiply it by {@code interval '1 microsecond'}. */
    static long inMicros(Duration value) {
        return value.toNanos() / 1_000;
    }

    Parameters object(Object value) throws SQLException {
        statement.setObject(++last, value);
        return this;
    }
}
