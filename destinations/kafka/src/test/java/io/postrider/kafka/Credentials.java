package io.postrider.kafka;

import io.postrider.kafka.testing.KafkaBroker;
import java.util.Map;

/** Who somebody is at {@link KafkaBroker#secureAddress}. */
final class Credentials {
    private Credentials() {}

    /** The properties of a client that says this password. */
    static Map<String, String> with(String password) {
        return Map.of(
                "security.protocol",
                "SASL_PLAINTEXT",
                "sasl.mechanism",
                "PLAIN",
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"" + KafkaBroker.USER
                        + "\" password=\"" + password + "\";");
    }
}
