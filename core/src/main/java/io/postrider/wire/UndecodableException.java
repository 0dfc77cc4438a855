package io.postrider.wire;

/** No event can be made of a message, however often it comes. It has the message, so that nothing of it is lost. */
public final class UndecodableException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final transient Message message;
    private final transient Decoding.Origin origin;

    /** @param why any failure of the decoding, which fails again with the same message */
    public UndecodableException(Message message, Decoding.Origin origin, RuntimeException why) {
        super(words(why), why);
        this.message = message;
        this.origin = origin;
    }

    /** The sentence of a refusal; of a failure that nobody foresaw, also its class. */
    private static String words(RuntimeException why) {
        return why instanceof IllegalArgumentException && why.getMessage() != null ? why.getMessage() : why.toString();
    }

    /** As it came. */
    public Message undecoded() {
        return message;
    }

    public Decoding.Origin origin() {
        return origin;
    }
}
