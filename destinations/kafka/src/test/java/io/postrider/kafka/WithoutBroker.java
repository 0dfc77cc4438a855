package io.postrider.kafka;

import io.postrider.tck.server.Ports;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A process whose destination finds nobody, and which logs all that Kafka has to say. */
final class WithoutBroker {
    private WithoutBroker() {}

    /** What is logged until the destination has found that nobody answers. */
    static List<String> logLines(Duration answerWithin) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
                        "-cp",
                        System.getProperty("java.class.path"),
                        WithoutBroker.class.getName(),
                        answerWithin.toString())
                .redirectErrorStream(true)
                .start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        process.waitFor();
        return lines;
    }

    public static void main(String[] arguments) {
        KafkaLimits limits = KafkaLimits.DEFAULT.answerWithin(Duration.parse(arguments[0]));
        KafkaConfig nobody = KafkaConfig.of(List.of("127.0.0.1:" + Ports.free()), TopicRules.others("letters"));
        KafkaDestination.open(nobody.limits(limits)).close();
    }
}
