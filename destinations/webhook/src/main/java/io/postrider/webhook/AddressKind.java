package io.postrider.webhook;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The addresses that are not of the public internet, each range with the word for it. Of IPv6 only the global unicast
 * range is public, without the parts of it that stand for something else.
 *
 * @param words what an address of it is called
 */
record AddressKind(Cidr range, String words) {
    private static final List<AddressKind> NOT_PUBLIC = List.of(
            of("0.0.0.0/8", "any-local"),
            of("10.0.0.0/8", "private"),
            of("100.64.0.0/10", "shared (carrier-grade NAT)"),
            of("127.0.0.0/8", "loopback"),
            of("169.254.169.254", "cloud metadata"),
            of("169.254.0.0/16", "link-local"),
            of("172.16.0.0/12", "private"),
            of("192.0.0.0/24", "reserved"),
            of("192.0.2.0/24", "documentation"),
            of("192.88.99.0/24", "reserved"),
            of("192.168.0.0/16", "private"),
            of("198.18.0.0/15", "benchmarking"),
            of("198.51.100.0/24", "documentation"),
            of("203.0.113.0/24", "documentation"),
            of("224.0.0.0/4", "multicast"),
            of("240.0.0.0/4", "reserved"),
            of("::", "any-local"),
            of("::1", "loopback"),
            of("::/96", "IPv4-compatible"),
            of("64:ff9b::/96", "IPv4-translated"),
            of("64:ff9b:1::/48", "IPv4-translated"),
            of("2001::/23", "reserved (Teredo and others)"),
            of("2001:db8::/32", "documentation"),
            of("2002::/16", "6to4"),
            of("3fff::/20", "documentation"),
            of("fc00::/7", "unique-local"),
            of("fe80::/10", "link-local"),
            of("fec0::/10", "site-local"),
            of("ff00::/8", "multicast"));
    private static final Cidr GLOBAL_UNICAST = Cidr.of("2000::/3");
    private static final int MAPPED_PREFIX = 12;

    private static AddressKind of(String range, String words) {
        return new AddressKind(Cidr.of(range), words);
    }

    /** The name for this kind of address, unless it is public. */
    static Optional<String> notPublic(InetAddress address) {
        InetAddress plain = unmapped(address);
        Optional<String> words = NOT_PUBLIC.stream()
                .filter(kind -> kind.range.contains(plain))
                .map(AddressKind::words)
                .findFirst();
        boolean isPublic = !(plain instanceof Inet6Address) || GLOBAL_UNICAST.contains(plain);
        return words.isPresent() || isPublic ? words : Optional.of("reserved");
    }

    /** The IPv4 address in {@code ::ffff:a.b.c.d}, which Java usually takes out by itself. */
    private static InetAddress unmapped(InetAddress address) {
        byte[] bytes = address.getAddress();
        boolean mapped = bytes.length == 16 && bytes[10] == -1 && bytes[11] == -1;
        for (int i = 0; mapped && i < 10; i++) {
            mapped = bytes[i] == 0;
        }
        try {
            return mapped ? InetAddress.getByAddress(Arrays.copyOfRange(bytes, MAPPED_PREFIX, 16)) : address;
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }
}
