package io.postrider.benchmarks;

import java.sql.SQLException;
import java.util.List;

/** Every peer with a backlog of its own. */
record Peers(List<Drain> drains) implements AutoCloseable {
    Peers {
        drains = List.copyOf(drains);
    }

    static Peers open(Database database, int events, int springEvents) throws SQLException {
        return new Peers(List.of(
                new DbSchedulerDrain(database, events),
                new GruelboxDrain(database, events),
                new NamastackDrain(database, springEvents, Payloads::key),
                new ModulithDrain(database, springEvents)));
    }

    List<Contender> rounds(Database database, Runnable work) {
        return drains.stream()
                .<Contender>map(drain -> new DrainRound(database, drain, work))
                .toList();
    }

    @Override
    public void close() {
        drains.forEach(Drain::close);
    }
}
