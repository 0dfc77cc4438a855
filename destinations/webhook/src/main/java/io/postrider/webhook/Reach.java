package io.postrider.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which addresses webhooks may go to: those of the public internet, and what an operator allows beside them. An
 * endpoint's URL often comes from a customer, and must not lead into the operator's own network.
 *
 * <p>A name is looked up once for each connection; all its addresses are checked, and the connection is made to one of
 * those, so that a name which means something else a moment later gains nothing. Immutable.
 */
public final class Reach {
    private static final Reach PUBLIC = new Reach(Set.of(), List.of(), InetAddress::getAllByName);

    private final Set<String> hosts;
    private final List<Cidr> ranges;
    private final Lookup lookup;

    /** How a name becomes addresses. */
    interface Lookup {
        InetAddress[] addresses(String host) throws UnknownHostException;
    }

    private Reach(Set<String> hosts, List<Cidr> ranges, Lookup lookup) {
        this.hosts = hosts;
        this.ranges = ranges;
        this.lookup = lookup;
    }

    /** The public internet. */
    public static Reach publicOnly() {
        return PUBLIC;
    }

    /**
     * Also this host, whatever its addresses are, or these addresses, whatever they are called.
     *
     * @param hostOrRange {@code hooks.internal}, {@code 10.1.0.0/16}, {@code ::1}
     */
    public Reach allow(String hostOrRange) {
        if (Cidr.isOne(hostOrRange)) {
            List<Cidr> more = new ArrayList<>(ranges);
            more.add(Cidr.of(hostOrRange));
            return new Reach(hosts, List.copyOf(more), lookup);
        }
        if (!hostOrRange.matches("[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")) {
            throw new IllegalArgumentException(
                    "a host name, an address or a range of addresses can be allowed, got '" + hostOrRange + "'");
        }
        Set<String> more = new TreeSet<>(hosts);
        more.add(hostOrRange.toLowerCase(Locale.ROOT));
        return new Reach(Set.copyOf(more), ranges, lookup);
    }

    Reach lookup(Lookup lookup) {
        return new Reach(hosts, ranges, lookup);
    }

    /** The addresses of a host, all of which may be connected to. */
    List<InetAddress> resolve(String host) throws UnknownHostException, OutOfReachException {
        List<InetAddress> addresses = List.of(lookup.addresses(host));
        for (InetAddress address : addresses) {
            Optional<String> kind = AddressKind.notPublic(address);
            if (kind.isPresent() && !isAllowed(host, address)) {
                throw new OutOfReachException(host, address, kind.get());
            }
        }
        return addresses;
    }

    /**
     * Refuses an address that may not be connected to, and {@code localhost}, which always means one. Other names are
     * looked up when a connection is made, because their addresses change.
     */
    void requireLiteral(String host) {
        if (!Cidr.isOne(host) && !host.equals("localhost") && !host.endsWith(".localhost")) {
            return;
        }
        try {
            InetAddress address = Cidr.isOne(host) ? InetAddress.getByName(host) : InetAddress.getLoopbackAddress();
            Optional<String> kind = AddressKind.notPublic(address);
            if (kind.isPresent() && !isAllowed(host, address)) {
                throw new IllegalArgumentException(new OutOfReachException(host, address, kind.get()).why());
            }
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("not an address: '" + host + "'", e);
        }
    }

    private boolean isAllowed(String host, InetAddress address) {
        return hosts.contains(host.toLowerCase(Locale.ROOT))
                || ranges.stream().anyMatch(range -> range.contains(address));
    }

    @Override
    public String toString() {
        return "the public internet" + (hosts.isEmpty() ? "" : ", " + hosts) + (ranges.isEmpty() ? "" : ", " + ranges);
    }
}
