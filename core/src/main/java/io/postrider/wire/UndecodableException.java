package io.postrider.wire;

/** No event can be made of a message, however often it comes. It has the message, so that nothing of it is lost. */
public final class UndecodableException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final transient Message message;
    private final transient Decoding.Origin origin;

    public UndecodableException(Message message, Decoding.Origin origin, IllegalArgumentException why) {
        super(why.getMessage(), why);
        this.message = message;
        this.origin = origin;
    }

    /** As it came. */
    public Message undecoded() {
        return message;
    }

    public Decoding.Origin origin() {
        return origin;
    }
}
