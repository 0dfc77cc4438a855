package io.postrider;

import io.postrider.policy.RetryPolicy;

/**
 * A payload does not fit the class that a handler wants. A retry may help while versions of an application are
 * exchanged; a policy that names this class as {@link RetryPolicy#fatal fatal} buries such an event at once.
 */
public final class UnreadableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Without a cause: its message might quote the payload. */
    UnreadableException(String message) {
        super(message);
    }

    /** The message alone: the class of this exception says nothing more. */
    @Override
    public String toString() {
        return String.valueOf(getMessage());
    }
}
