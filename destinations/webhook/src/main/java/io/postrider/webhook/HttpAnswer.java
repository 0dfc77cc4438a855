package io.postrider.webhook;

import java.util.Map;
import java.util.Optional;

/**
 * The answer of an endpoint.
 *
 * @param headers names in lower case
 * @param body its beginning, fit to be shown and stored
 * @param last whether the connection can take no further request
 */
record HttpAnswer(int status, Map<String, String> headers, String body, boolean last) {

    Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    boolean isRedirect() {
        return status / 100 == 3;
    }
}
