package io.postrider.wire;

import io.postrider.JacksonCodec;
import java.io.StringWriter;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/** CloudEvents in the JSON event format. Their data is not read, but cut out: numbers stay as they were written. */
final class CloudEventJson {
    static final String MEDIA_TYPE = "application/cloudevents+json";

    private static final String DATA = "data";
    private static final String DATA_BASE64 = "data_base64";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private CloudEventJson() {}

    static String write(CloudEvent event) {
        StringWriter text = new StringWriter(event.data().length() + 512);
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            event.attributes().forEach(json::writeStringProperty);
            json.writeName(DATA);
            json.writeRawValue(event.data());
            json.writeEndObject();
        }
        return text.toString();
    }

    static CloudEvent read(String media, String text) {
        if (!media.startsWith(MEDIA_TYPE)) {
            throw new IllegalArgumentException(
                    "of structured CloudEvents, '" + MEDIA_TYPE + "' can be read, got '" + media + "'");
        }
        try (JsonParser json = JSON.createParser(text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("the CloudEvent is no JSON object");
            }
            CloudEvent event = members(json, text);
            if (json.nextToken() != null) {
                throw new IllegalArgumentException("something follows the CloudEvent's JSON object");
            }
            return event;
        } catch (JacksonException e) {
            throw new IllegalArgumentException("the CloudEvent is not JSON: " + JacksonCodec.reason(e));
        }
    }

    private static CloudEvent members(JsonParser json, String text) {
        Map<String, String> attributes = new LinkedHashMap<>();
        String data = null;
        byte[] binary = null;
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = json.currentName();
            JsonToken value = json.nextToken();
            if (name.equals(DATA)) {
                data = raw(json, text);
            } else if (name.equals(DATA_BASE64) && value == JsonToken.VALUE_STRING) {
                binary = Base64.getDecoder().decode(json.getString());
            } else if (value != JsonToken.VALUE_NULL) {
                attributes.put(name, scalar(json, name));
            }
        }
        return new CloudEvent(attributes, data(attributes.get("datacontenttype"), data, binary));
    }

    private static String data(@Nullable String media, @Nullable String data, byte @Nullable [] binary) {
        if (data != null) {
            return data;
        }
        return binary == null ? "null" : data(media == null ? "" : media, binary);
    }

    /** Data beside its media type, as JSON text: JSON as it is, other text as a string. */
    static String data(String media, byte[] body) {
        if (body.length == 0) {
            return "null";
        }
        String type = media.split(";", 2)[0].trim();
        if (type.isEmpty() || type.endsWith("/json") || type.endsWith("+json")) {
            return Decoding.text(body);
        }
        if (type.startsWith("text/")) {
            return JSON.writeValueAsString(Decoding.text(body));
        }
        throw new IllegalArgumentException("an event's payload is JSON, the CloudEvent's data is '" + media + "'");
    }

    private static String scalar(JsonParser json, String name) {
        if (!json.currentToken().isScalarValue()) {
            throw new IllegalArgumentException("the CloudEvent's '" + name + "' is no text, number or boolean");
        }
        return json.getString();
    }

    /** The text of the value at which the parser is. */
    private static String raw(JsonParser json, String text) {
        int from = (int) json.currentTokenLocation().getCharOffset();
        json.skipChildren();
        json.finishToken();
        return text.substring(from, (int) json.currentLocation().getCharOffset())
                .stripTrailing();
    }
}
