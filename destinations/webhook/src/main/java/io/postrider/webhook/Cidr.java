package io.postrider.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;

/** A range of addresses: {@code 10.0.0.0/8}, {@code fc00::/7}, or one address. */
record Cidr(InetAddress network, int prefix) {
    private static final Pattern LITERAL = Pattern.compile("(\\d{1,3}\\.){3}\\d{1,3}|[0-9a-fA-F:]*:[0-9a-fA-F:.]*");

    Cidr {
        int bits = network.getAddress().length * Byte.SIZE;
        if (prefix < 0 || prefix > bits) {
            throw new IllegalArgumentException(
                    "a range of " + network.getHostAddress() + " has a prefix of 0 to " + bits + ", got " + prefix);
        }
    }

    /** Whether this is an address, or a range of them, rather than a name. */
    static boolean isOne(String text) {
        return LITERAL.matcher(text.split("/", 2)[0]).matches();
    }

    static Cidr of(String text) {
        String[] parts = text.split("/", 2);
        try {
            if (!isOne(text)) {
                throw new UnknownHostException(text);
            }
            InetAddress network = InetAddress.getByName(parts[0]); // a literal: no name is looked up
            int bits = network.getAddress().length * Byte.SIZE;
            return new Cidr(network, parts.length == 1 ? bits : Integer.parseInt(parts[1]));
        } catch (UnknownHostException | NumberFormatException e) {
            throw new IllegalArgumentException("not an address or a range of addresses: '" + text + "'", e);
        }
    }

    boolean contains(InetAddress address) {
        byte[] its = address.getAddress();
        byte[] ours = network.getAddress();
        int whole = prefix / Byte.SIZE;
        if (its.length != ours.length || !Arrays.equals(its, 0, whole, ours, 0, whole)) {
            return false;
        }
        int rest = prefix % Byte.SIZE;
        return rest == 0 || ((its[whole] ^ ours[whole]) & 0xFF) >> (Byte.SIZE - rest) == 0;
    }
}
