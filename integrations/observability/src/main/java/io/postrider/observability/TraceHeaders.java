package io.postrider.observability;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.postrider.Headers;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The trace an event belongs to, in its headers as W3C has it; the only form that is stored, whatever else is set up.
 */
final class TraceHeaders {
    private static final W3CTraceContextPropagator W3C = W3CTraceContextPropagator.getInstance();

    private TraceHeaders() {}

    /** Headers that name this span instead of any other. */
    static Headers with(Headers headers, Span span) {
        Map<String, String> values = new LinkedHashMap<>(headers.values());
        W3C.fields().forEach(values::remove);
        W3C.inject(Context.root().with(span), values, (carrier, name, value) -> values.put(name, value));
        return new Headers(values);
    }

    /** The span that these headers name, or none. */
    static Context read(Headers headers) {
        return W3C.extract(Context.root(), headers, Getter.INSTANCE);
    }

    private enum Getter implements TextMapGetter<Headers> {
        INSTANCE;

        @Override
        public @Nullable String get(@Nullable Headers headers, String name) {
            return headers == null ? null : headers.get(name).orElse(null);
        }
    }
}
