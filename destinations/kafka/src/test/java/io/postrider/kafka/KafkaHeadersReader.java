package io.postrider.kafka;

import io.cloudevents.SpecVersion;
import io.cloudevents.core.data.BytesCloudEventData;
import io.cloudevents.core.message.impl.BaseGenericBinaryMessageReaderImpl;
import java.util.Map;
import java.util.function.BiConsumer;

/** A record's headers, as the CloudEvents SDK reads a binary message. */
final class KafkaHeadersReader extends BaseGenericBinaryMessageReaderImpl<String, String> {
    private final Map<String, String> headers;

    KafkaHeadersReader(SpecVersion version, Map<String, String> headers, byte[] body) {
        super(version, BytesCloudEventData.wrap(body));
        this.headers = headers;
    }

    @Override
    protected boolean isContentTypeHeader(String name) {
        return name.equals("content-type");
    }

    @Override
    protected boolean isCloudEventsHeader(String name) {
        return name.startsWith("ce_");
    }

    @Override
    protected String toCloudEventsKey(String name) {
        return name.substring("ce_".length());
    }

    @Override
    protected void forEachHeader(BiConsumer<String, String> each) {
        headers.forEach(each);
    }

    @Override
    protected String toCloudEventsValue(String value) {
        return value;
    }
}
