package io.postrider.webhook;

import java.io.IOException;

/** No answer came. */
final class HttpFailure extends IOException {
    private static final long serialVersionUID = 1;

    /** How far a request came. */
    enum Kind {
        /** Nobody took a connection: nothing was sent. */
        UNREACHABLE,
        /** A kept connection had been closed by the other side: a new one may do. */
        STALE,
        /** The request was sent, wholly or in part, and nobody knows what became of it. */
        UNANSWERED
    }

    private final Kind kind;

    HttpFailure(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }
}
