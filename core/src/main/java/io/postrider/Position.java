package io.postrider;

/** An event's number in its log. Positions grow in the order they were drawn, not in the order of commits. */
public record Position(long value) implements Comparable<Position> {

    /** Before the first event. */
    public static final Position ZERO = new Position(0);

    public Position {
        if (value < 0) {
            throw new IllegalArgumentException("a position is not negative, got " + value);
        }
    }

    @Override
    public int compareTo(Position other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
