package io.postrider.observability;

import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination.Dispatch;
import io.postrider.destination.Outcome;
import io.postrider.observe.Observation;
import io.postrider.observe.Observer;
import java.util.List;

/**
 * Follows events with OpenTelemetry, from append to handler: the trace context is stored in the event's headers, so
 * that append → handler → append → handler is one trace, whichever nodes took part and however long it took.
 *
 * <p>An append is a span of a moment, a child of the current one; if there is none, of the one its headers name; else
 * it begins a trace. Each dispatch, also each retry, is a span below the append, current on the thread while the
 * handler runs. A dispatch of several events has many causes: it begins a trace of its own, with a link to each.
 *
 * <p>Attributes follow OpenTelemetry's conventions for messaging. Thread-safe.
 */
public final class Tracing implements Observer {
    private static final String LOG = "outbox";

    private static final AttributeKey<String> SYSTEM = stringKey("messaging.system");
    private static final AttributeKey<String> OPERATION_NAME = stringKey("messaging.operation.name");
    private static final AttributeKey<String> OPERATION_TYPE = stringKey("messaging.operation.type");
    private static final AttributeKey<String> DESTINATION = stringKey("messaging.destination.name");
    private static final AttributeKey<String> MESSAGE_ID = stringKey("messaging.message.id");
    private static final AttributeKey<String> CONVERSATION_ID = stringKey("messaging.message.conversation_id");
    private static final AttributeKey<Long> MESSAGE_COUNT = longKey("messaging.batch.message_count");
    private static final AttributeKey<String> ERROR_TYPE = stringKey("error.type");
    private static final AttributeKey<String> EVENT_TYPE = stringKey("postrider.event.type");
    private static final AttributeKey<String> EVENT_KEY = stringKey("postrider.event.key");
    private static final AttributeKey<Long> ATTEMPT = longKey("postrider.attempt");

    private final Tracer tracer;

    private Tracing(Tracer tracer) {
        this.tracer = tracer;
    }

    public static Tracing with(OpenTelemetry openTelemetry) {
        return new Tracing(openTelemetry.getTracer("io.postrider"));
    }

    /** Spans are made where events are appended and dispatched; nothing else is worth one. */
    @Override
    public void observe(Observation observation) {}

    @Override
    public Event appending(Event event) {
        Span span = appended(event);
        span.end();
        return span.getSpanContext().isValid() ? event.headers(TraceHeaders.with(event.headers(), span)) : event;
    }

    /** The current span goes first: inside a handler the event already names its cause's, by inheritance. */
    private Span appended(Event event) {
        boolean traced = Span.current().getSpanContext().isValid();
        SpanBuilder builder = span("append", event.type(), SpanKind.PRODUCER)
                .setParent(traced ? Context.current() : TraceHeaders.read(event.headers()))
                .setAttribute(OPERATION_TYPE, "create")
                .setAttribute(DESTINATION, LOG)
                .setAttribute(EVENT_TYPE, event.type())
                .setAttribute(EVENT_KEY, event.key());
        EventId id = event.id();
        if (id != null) {
            builder.setAttribute(MESSAGE_ID, id.toString());
        }
        event.headers().get(Headers.CORRELATION_ID).ifPresent(value -> builder.setAttribute(CONVERSATION_ID, value));
        return builder.startSpan();
    }

    @Override
    public Dispatching dispatching(List<Dispatch> dispatches) {
        return dispatches.size() == 1 ? dispatching(dispatches.get(0)) : dispatchingSeveral(dispatches);
    }

    private Dispatching dispatching(Dispatch dispatch) {
        StoredEvent event = dispatch.event();
        Context parent = TraceHeaders.read(event.headers());
        SpanBuilder builder = processing(dispatch.subscription(), event.type())
                .setParent(parent)
                .setAttribute(MESSAGE_ID, event.id().toString())
                .setAttribute(EVENT_TYPE, event.type())
                .setAttribute(EVENT_KEY, event.key())
                .setAttribute(ATTEMPT, (long) dispatch.attempt());
        event.headers().get(Headers.CORRELATION_ID).ifPresent(value -> builder.setAttribute(CONVERSATION_ID, value));
        return Processing.of(builder.startSpan(), parent);
    }

    private Dispatching dispatchingSeveral(List<Dispatch> dispatches) {
        String subscription = dispatches.get(0).subscription();
        SpanBuilder builder = processing(subscription, subscription)
                .setNoParent()
                .setAttribute(MESSAGE_COUNT, (long) dispatches.size());
        for (Dispatch dispatch : dispatches) {
            Context stored = TraceHeaders.read(dispatch.event().headers());
            SpanContext cause = Span.fromContext(stored).getSpanContext();
            if (cause.isValid()) {
                builder.addLink(cause);
            }
        }
        return Processing.of(builder.startSpan(), Context.root());
    }

    private SpanBuilder processing(String subscription, String what) {
        return span("process", what, SpanKind.CONSUMER)
                .setAttribute(OPERATION_TYPE, "process")
                .setAttribute(DESTINATION, subscription);
    }

    private SpanBuilder span(String operation, String what, SpanKind kind) {
        return tracer.spanBuilder(operation + " " + what)
                .setSpanKind(kind)
                .setAttribute(SYSTEM, "postrider")
                .setAttribute(OPERATION_NAME, operation);
    }

    /** A dispatch whose span is current on the thread until the thread leaves, and ends with the answer. */
    private record Processing(Span span, Scope scope) implements Dispatching, Outcome.Cases<Span> {
        @SuppressWarnings("MustBeClosedChecker") // closed when the thread leaves
        static Processing of(Span span, Context parent) {
            return new Processing(span, parent.with(span).makeCurrent());
        }

        @Override
        public void left() {
            scope.close();
        }

        @Override
        public void answered(List<Outcome> outcomes) {
            outcomes.stream()
                    .filter(outcome -> !outcome.isDelivered())
                    .findFirst()
                    .ifPresent(this::failed);
            span.end();
        }

        private void failed(Outcome outcome) {
            outcome.match(this);
        }

        @Override
        public Span retry(Outcome.Retry outcome) {
            return failed("retry", outcome.why());
        }

        @Override
        public Span dead(Outcome.Dead outcome) {
            return failed("dead", outcome.why());
        }

        @Override
        public Span down(Outcome.Down outcome) {
            return span; // told once, of the destination
        }

        @Override
        public Span delivered(Outcome.Delivered outcome) {
            return span;
        }

        @Override
        public Span expired(Outcome.Expired outcome) {
            return span;
        }

        @Override
        public Span skipped(Outcome.Skipped outcome) {
            return span;
        }

        private Span failed(String type, String why) {
            return span.setAttribute(ERROR_TYPE, type).setStatus(StatusCode.ERROR, why);
        }
    }
}
