package io.postrider.webhook;

import java.net.InetAddress;

/** A host has an address that webhooks may not go to. */
final class OutOfReachException extends Exception {
    private static final long serialVersionUID = 1;

    private final String why;

    OutOfReachException(String host, InetAddress address, String kind) {
        this("the host '" + host + "' has the address " + address.getHostAddress() + ", which is " + kind
                + " and not allowed; what may be reached beside the public internet is named with Reach.allow");
    }

    private OutOfReachException(String why) {
        super(why);
        this.why = why;
    }

    String why() {
        return why;
    }
}
