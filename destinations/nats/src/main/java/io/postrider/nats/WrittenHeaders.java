package io.postrider.nats;

import io.nats.client.impl.Headers;

/** Headers as they are on the wire. They can be sent, and not be looked into. */
final class WrittenHeaders extends Headers {
    private final byte[] bytes;

    WrittenHeaders(byte[] bytes) {
        super(null, true); // read-only ones are not copied
        this.bytes = bytes;
    }

    @Override
    public boolean isEmpty() {
        return false;
    }

    @Override
    public int serializedLength() {
        return bytes.length;
    }

    @Override
    public byte[] getSerialized() {
        return bytes.clone();
    }

    @Override
    public int serializeToArray(int destPosition, byte[] dest) {
        System.arraycopy(bytes, 0, dest, destPosition, bytes.length);
        return bytes.length;
    }
}
