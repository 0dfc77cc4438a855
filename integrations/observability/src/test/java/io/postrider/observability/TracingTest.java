package io.postrider.observability;

import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static io.postrider.observability.TestNode.SUBSCRIPTION;
import static io.postrider.observability.TestNode.letter;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination.Dispatch;
import io.postrider.destination.Outcome;
import io.postrider.observe.Observer;
import io.postrider.wire.Incoming;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TracingTest {
    private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final SdkTracerProvider provider = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
            .build();
    private final OpenTelemetry openTelemetry =
            OpenTelemetrySdk.builder().setTracerProvider(provider).build();
    private final Tracing tracing = Tracing.with(openTelemetry);
    private final TestNode node = new TestNode(tracing);

    @AfterEach
    void close() {
        node.close();
        provider.close();
    }

    @Test
    void append_handler_append_handler_is_one_trace() {
        node.postrider
                .subscribe("billing")
                .on(
                        "order.placed",
                        (payload, context) ->
                                node.append(Event.of("invoice.due", "7").key("ann")))
                .on("invoice.due", (payload, context) -> {})
                .start();
        inSpan("request", () -> node.append(Event.of("order.placed", "7").key("ann")));
        awaitSpans(5);
        SpanData request = span("request");
        SpanData ordered = span("append order.placed");
        SpanData billed = span("process order.placed");
        SpanData invoiced = span("append invoice.due");
        SpanData paid = span("process invoice.due");
        assertThat(spans()).extracting(SpanData::getTraceId).containsOnly(request.getTraceId());
        assertThat(ordered.getParentSpanId()).isEqualTo(request.getSpanId());
        assertThat(billed.getParentSpanId()).isEqualTo(ordered.getSpanId());
        assertThat(invoiced.getParentSpanId()).isEqualTo(billed.getSpanId());
        assertThat(paid.getParentSpanId()).isEqualTo(invoiced.getSpanId());
    }

    @Test
    void an_append_outside_of_a_trace_begins_one_that_all_subscriptions_share() {
        for (String subscription : List.of("billing", "shipping")) {
            node.postrider
                    .subscribe(subscription)
                    .on("**", (payload, context) -> {})
                    .start();
        }
        node.append(letter("ann"));
        awaitSpans(3);
        SpanData append = span("append letter.sent");
        assertThat(append.getParentSpanContext().isValid()).isFalse();
        assertThat(spans("process letter.sent"))
                .hasSize(2)
                .allSatisfy(process -> assertThat(process.getParentSpanId()).isEqualTo(append.getSpanId()));
    }

    @Test
    void a_trace_that_an_event_brings_along_is_continued_unless_another_is_current() {
        Event event = letter("ann").header(Headers.TRACEPARENT, PARENT).header(Headers.TRACESTATE, "vendor=7");
        Headers continued = tracing.appending(event).headers();
        assertThat(continued.get(Headers.TRACEPARENT).orElseThrow())
                .startsWith("00-0af7651916cd43dd8448eb211c80319c-")
                .isNotEqualTo(PARENT);
        assertThat(continued.get(Headers.TRACESTATE)).contains("vendor=7");
        inSpan("request", () -> {
            Headers current = tracing.appending(event).headers();
            assertThat(current.get(Headers.TRACEPARENT).orElseThrow())
                    .contains(Span.current().getSpanContext().getTraceId());
            assertThat(current.get(Headers.TRACESTATE)).isEmpty();
        });
    }

    @Test
    void a_message_from_elsewhere_and_what_its_handler_appends_are_in_the_trace_it_came_with() {
        node.postrider
                .subscribe("billing")
                .on(
                        "order.placed",
                        (payload, context) ->
                                node.append(Event.of("invoice.due", "7").key("ann")))
                .on("invoice.due", (payload, context) -> {})
                .start();
        Event order = Event.of("order.placed", "7")
                .header(Headers.TRACEPARENT, PARENT)
                .correlationId("c-1");
        node.postrider.inbox().receive("shop", List.of(new Incoming("17", order)));
        awaitSpans(3);
        SpanData processed = span("process order.placed");
        SpanData invoiced = span("append invoice.due");
        assertThat(spans()).extracting(SpanData::getTraceId).containsOnly("0af7651916cd43dd8448eb211c80319c");
        assertThat(processed.getParentSpanId()).isEqualTo("b7ad6b7169203331");
        assertThat(invoiced.getParentSpanId()).isEqualTo(processed.getSpanId());
        assertThat(span("process invoice.due").getParentSpanId()).isEqualTo(invoiced.getSpanId());
        assertAttribute(invoiced, "messaging.message.conversation_id", "c-1");
    }

    @Test
    void each_attempt_is_a_span_below_the_append() {
        node.handle(new Letters().fail(1));
        node.append(letter("ann"));
        awaitSpans(3);
        SpanData append = span("append letter.sent");
        List<SpanData> attempts = spans("process letter.sent");
        assertThat(attempts).extracting(SpanData::getParentSpanId).containsOnly(append.getSpanId());
        assertThat(attempts)
                .extracting(attempt -> attempt.getAttributes().get(longKey("postrider.attempt")))
                .containsExactly(1L, 2L);
        assertThat(attempts)
                .extracting(attempt -> attempt.getStatus().getStatusCode())
                .containsExactly(StatusCode.ERROR, StatusCode.UNSET);
        assertThat(attempts.get(0).getStatus().getDescription()).contains("to ann is undeliverable");
        assertThat(attempts.get(0).getAttributes().get(stringKey("error.type"))).isEqualTo("retry");
    }

    @Test
    void attributes_follow_the_conventions_for_messaging() {
        node.handle(new Letters());
        EventId id = new EventId(UUID.randomUUID());
        node.append(letter("ann").id(id).correlationId("c-1"));
        awaitSpans(2);
        SpanData append = span("append letter.sent");
        assertThat(append.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertAttribute(append, "messaging.operation.type", "create");
        SpanData process = span("process letter.sent");
        assertThat(process.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertAttribute(process, "messaging.operation.type", "process");
        assertAttribute(process, "messaging.destination.name", SUBSCRIPTION);
        for (SpanData span : List.of(append, process)) {
            assertAttribute(span, "messaging.system", "postrider");
            assertAttribute(span, "messaging.message.id", id.toString());
            assertAttribute(span, "messaging.message.conversation_id", "c-1");
            assertAttribute(span, "postrider.event.type", "letter.sent");
            assertAttribute(span, "postrider.event.key", "ann");
        }
    }

    @Test
    void a_dispatch_of_several_events_begins_a_trace_with_a_link_to_each() {
        Headers traced = Headers.NONE.with(Headers.TRACEPARENT, PARENT);
        Observer.Dispatching dispatching =
                tracing.dispatching(List.of(dispatch(traced), dispatch(traced), dispatch(Headers.NONE)));
        Headers effect = tracing.appending(letter("ann").headers(traced)).headers();
        dispatching.left();
        assertThat(Span.current().getSpanContext().isValid()).isFalse();
        dispatching.answered(List.of(Outcome.DELIVERED, Outcome.dead("torn"), Outcome.DELIVERED));

        SpanData batch = span("process " + SUBSCRIPTION);
        assertThat(batch.getParentSpanContext().isValid()).isFalse();
        assertThat(batch.getLinks())
                .extracting(LinkData::getSpanContext)
                .extracting(cause -> cause.getSpanId())
                .containsExactly("b7ad6b7169203331", "b7ad6b7169203331");
        assertThat(batch.getAttributes().get(longKey("messaging.batch.message_count")))
                .isEqualTo(3);
        assertThat(batch.getStatus().getDescription()).isEqualTo("torn");
        assertThat(effect.get(Headers.TRACEPARENT).orElseThrow()).contains(batch.getTraceId());
    }

    @Test
    void without_an_sdk_events_stay_as_they_are() {
        Event event = letter("ann").header("colour", "blue");
        assertThat(Tracing.with(OpenTelemetry.noop()).appending(event)).isEqualTo(event);
    }

    private static Dispatch dispatch(Headers headers) {
        EventId id = new EventId(UUID.randomUUID());
        StoredEvent event = new StoredEvent(
                new Position(1),
                Lane.of("ann", id, Lane.COUNT_DEFAULT),
                id,
                "letter.sent",
                "ann",
                "{}",
                headers,
                null,
                Instant.now());
        return new Dispatch(SUBSCRIPTION, event, 1);
    }

    private void inSpan(String name, Runnable work) {
        Span span = openTelemetry.getTracer("test").spanBuilder(name).startSpan();
        try (Scope scope = span.makeCurrent()) {
            assertThat(scope).isNotNull();
            work.run();
        } finally {
            span.end();
        }
    }

    private void awaitSpans(int count) {
        Eventually.holds(() -> assertThat(spans()).hasSize(count));
    }

    private List<SpanData> spans() {
        return exporter.getFinishedSpanItems();
    }

    private List<SpanData> spans(String name) {
        return spans().stream().filter(span -> span.getName().equals(name)).toList();
    }

    private SpanData span(String name) {
        assertThat(spans(name)).hasSize(1);
        return spans(name).get(0);
    }

    private static void assertAttribute(SpanData span, String name, String value) {
        assertThat(span.getAttributes().get(stringKey(name))).as(name).isEqualTo(value);
    }
}
