package io.postrider.benchmarks.peers;

import java.util.List;
import java.util.stream.Stream;

/** All that are compared. */
public final class Carriers {
    public static final Carrier POSTRIDER = new PostriderCarrier();
    public static final Peer NAMASTACK = new Namastack();
    public static final List<Peer> PEERS = List.of(new DbScheduler(), new Gruelbox(), NAMASTACK, new Modulith());

    private Carriers() {}

    /** Ours first. */
    public static List<Carrier> all() {
        return Stream.concat(Stream.of(POSTRIDER), PEERS.stream()).toList();
    }

    static Carrier named(String name) {
        return named(all(), name);
    }

    public static Peer peer(String name) {
        return named(PEERS, name);
    }

    private static <C extends Carrier> C named(List<C> carriers, String name) {
        return carriers.stream()
                .filter(carrier -> carrier.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no carrier is called '" + name + "'"));
    }
}
