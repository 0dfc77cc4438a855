package io.postrider.postgres;

import io.postrider.Position;
import io.postrider.store.Horizon;

/** The horizon of the log, looked for at once. */
final class PostgresHorizon implements Horizon {
    private final Jdbc jdbc;
    private final StableHorizon horizon;

    PostgresHorizon(Jdbc jdbc, StableHorizon horizon) {
        this.jdbc = jdbc;
        this.horizon = horizon;
    }

    @Override
    public Position stable() {
        return jdbc.repeatable(connection -> {
            horizon.lookNow(connection);
            return new Position(horizon.position());
        });
    }
}
