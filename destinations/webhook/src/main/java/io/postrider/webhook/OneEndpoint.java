package io.postrider.webhook;

import io.postrider.StoredEvent;
import java.util.Optional;

/** All events to one endpoint: when that is down, the destination is. */
record OneEndpoint(EndpointConfig config) implements Endpoints {

    @Override
    public Optional<EndpointConfig> endpoint(StoredEvent event) {
        return Optional.of(config);
    }
}
