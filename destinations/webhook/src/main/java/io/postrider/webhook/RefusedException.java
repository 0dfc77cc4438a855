package io.postrider.webhook;

/** A webhook that cannot be trusted or read. The message is fit for the sender: it says nothing of any secret. */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String why;

    RefusedException(int status, String why) {
        super(why);
        this.status = status;
        this.why = why;
    }

    /** The HTTP status that tells the sender so. */
    public int status() {
        return status;
    }

    /** The reason of the refusal. */
    public String why() {
        return why;
    }
}
