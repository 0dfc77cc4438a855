package io.postrider.first;

import io.postrider.JacksonCodec;
import io.postrider.PostriderConfig;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** How payloads are read: as Jackson does by itself, or strictly. */
final class Payloads {
    private Payloads() {}

    static PostriderConfig strict() {
        return PostriderConfig.defaults()
                .codec(JacksonCodec.of(JsonMapper.builder()
                        .enable(
                                DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                                DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                                DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                        .build()));
    }
}
