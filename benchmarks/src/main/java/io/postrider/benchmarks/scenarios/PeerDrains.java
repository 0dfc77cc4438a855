package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.peers.Peer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/** Every peer with a backlog of its own. */
record PeerDrains(List<PeerDrain> drains) implements AutoCloseable {
    PeerDrains {
        drains = List.copyOf(drains);
    }

    static PeerDrains open(Database database, List<Peer> peers, ToIntFunction<Peer> events) throws SQLException {
        List<PeerDrain> opened = new ArrayList<>();
        for (Peer peer : peers) {
            opened.add(new PeerDrain(database, peer, events.applyAsInt(peer), Payloads::key));
        }
        return new PeerDrains(opened);
    }

    @Override
    public void close() {
        drains.forEach(Drain::close);
    }
}
