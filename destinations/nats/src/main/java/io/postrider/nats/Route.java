package io.postrider.nats;

/**
 * A rule that says which stream has the events of which topics. Of several rules that match, the first one counts.
 *
 * @param topics a topic, or a pattern: {@code *} stands for one part between dots, {@code >} at the end for the rest;
 *     {@code orders.>} takes everything that begins with {@code orders.}
 * @param stream the stream's name
 */
public record Route(String topics, String stream) {
    public Route {
        String reason = Subjects.illegalPattern(topics);
        if (reason != null) {
            throw new IllegalArgumentException("a route's topics are like 'orders.>', got '" + topics + "': " + reason);
        }
        StreamSpec.requireStreamName(stream);
    }

    boolean takes(String topic) {
        return Subjects.covers(topics, topic);
    }

    @Override
    public String toString() {
        return topics + " → " + stream;
    }
}
