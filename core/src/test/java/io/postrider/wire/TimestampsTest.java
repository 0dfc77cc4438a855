package io.postrider.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TimestampsTest {
    @Test
    void a_time_is_written_as_java_writes_it() {
        Random random = new Random(7);
        for (long second : List.of(0L, -1L, 1_767_323_045L, 253_402_300_800L, -62_167_219_201L)) {
            for (int nanos : List.of(0, 1, 10, 999, 1_000, 120_000, 999_999, 1_000_000, 50_000_000, 999_999_999)) {
                isWrittenAsJavaWritesIt(Instant.ofEpochSecond(second, nanos));
                isWrittenAsJavaWritesIt(Instant.ofEpochSecond(second, random.nextInt(1_000_000_000)));
            }
        }
        isWrittenAsJavaWritesIt(Instant.MIN);
        isWrittenAsJavaWritesIt(Instant.MAX);
    }

    private static void isWrittenAsJavaWritesIt(Instant time) {
        assertThat(Timestamps.text(time)).isEqualTo(time.toString());
    }
}
