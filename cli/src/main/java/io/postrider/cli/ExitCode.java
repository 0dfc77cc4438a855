package io.postrider.cli;

import io.postrider.store.StoreException;
import java.sql.SQLException;
import java.util.Objects;
import java.util.stream.Stream;

/** How a command ended. */
enum ExitCode {
    DONE(0),
    /** The schema does not fit, or a statement failed. */
    REFUSED(1),
    /** Wrong options, or no address of a database: the code that picocli uses too. */
    USAGE(2),
    /** PostgreSQL does not answer, or not to this user. */
    NO_CONNECTION(3),
    /** The role lacks a right. */
    NO_RIGHT(4);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    static ExitCode of(StoreException failure) {
        String state = Stream.iterate((Throwable) failure, Objects::nonNull, Throwable::getCause)
                .filter(SQLException.class::isInstance)
                .map(cause -> ((SQLException) cause).getSQLState())
                .filter(Objects::nonNull)
                .findFirst()
                .orElse("");
        if (state.equals("42501")) {
            return NO_RIGHT;
        }
        boolean unreachable = Stream.of("08", "28", "3D", "53300", "57P").anyMatch(state::startsWith);
        return unreachable ? NO_CONNECTION : REFUSED;
    }
}
