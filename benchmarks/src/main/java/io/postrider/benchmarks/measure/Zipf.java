package io.postrider.benchmarks.measure;

import java.util.Arrays;
import java.util.Random;

/** Draws ranks whose frequency falls with 1/rank: a few keys have most of the events, as customers do. */
public final class Zipf {
    private final double[] upTo;
    private final Random random;

    public Zipf(int ranks, long seed) {
        this.upTo = new double[ranks];
        double sum = 0;
        for (int rank = 0; rank < ranks; rank++) {
            sum += 1.0 / (rank + 1);
            upTo[rank] = sum;
        }
        this.random = new Random(seed);
    }

    /** From 0, the most frequent. */
    public int draw() {
        int found = Arrays.binarySearch(upTo, random.nextDouble() * upTo[upTo.length - 1]);
        return found >= 0 ? found : -found - 1;
    }
}
