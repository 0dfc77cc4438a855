package io.postrider.memory;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.operate.Chain;
import io.postrider.operate.Delivery;
import io.postrider.operate.Search;
import io.postrider.operate.Story;
import io.postrider.operate.Why;
import io.postrider.store.FilterText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Search: looks through everything, up to the number of rows that one call may look at. */
final class MemorySearch implements Search {
    private final MemoryState state;
    private final MemoryStory stories;

    MemorySearch(MemoryState state) {
        this.state = state;
        this.stories = new MemoryStory(state);
    }

    @Override
    public Found events(EventFilter filter, @Nullable Bookmark after, int limit) {
        synchronized (state) {
            return page(log(after), LogRow::position, row -> hit(row.event(), null, filter), limit);
        }
    }

    @Override
    public Found deliveries(
            String subscription, State wanted, EventFilter filter, @Nullable Bookmark after, int limit) {
        synchronized (state) {
            SubscriptionRow row = state.known(subscription);
            if (wanted == State.PENDING || wanted == State.DELIVERED || wanted == State.SKIPPED) {
                Predicate<StoredEvent> stands = stands(subscription, row, wanted);
                return page(
                        log(after),
                        LogRow::position,
                        each -> stands.test(each.event()) ? hit(each.event(), null, filter) : null,
                        limit);
            }
            Collection<DeliveryRow> rows = rows(row, wanted, after);
            return page(
                    rows,
                    each -> each.delivery().position().value(),
                    each -> hit(each.event(), each.delivery(), filter),
                    limit);
        }
    }

    private Predicate<StoredEvent> stands(String subscription, SubscriptionRow row, State wanted) {
        FilterText takes = new FilterText(row.filter);
        return switch (wanted) {
            case DELIVERED -> event -> stories.why(row, event) instanceof Why.Delivered;
            case SKIPPED -> event -> isSkipped(row, event, stories.why(row, event));
            default ->
                event -> takes.takes(event.type())
                        && Why.onlyFor(event, subscription).isEmpty()
                        && stories.isPending(row, event);
        };
    }

    private boolean isSkipped(SubscriptionRow row, StoredEvent event, Why why) {
        return why instanceof Why.Skipped
                || why instanceof Why.Declined
                || (why instanceof Why.OnlyFor && !stories.isPending(row, event));
    }

    private Collection<LogRow> log(@Nullable Bookmark after) {
        return (after == null
                        ? state.log.rows()
                        : state.log.rows().headMap(after.below().value(), false))
                .descendingMap()
                .values();
    }

    private List<DeliveryRow> rows(SubscriptionRow row, State wanted, @Nullable Bookmark after) {
        List<DeliveryRow> rows = new ArrayList<>();
        for (LaneRow lane : row.lanes) {
            lane.deliveries.values().stream()
                    .filter(each -> state(row, lane, each.delivery()) == wanted)
                    .filter(each -> after == null || each.delivery().position().compareTo(after.below()) < 0)
                    .forEach(rows::add);
        }
        if (wanted == State.DEAD) {
            row.deadRows()
                    .filter(each -> after == null || each.delivery().position().compareTo(after.below()) < 0)
                    .forEach(rows::add);
        }
        rows.sort(Comparator.comparing((DeliveryRow each) -> each.delivery().position())
                .reversed());
        return rows;
    }

    private State state(SubscriptionRow subscription, LaneRow lane, Delivery row) {
        boolean blocked = row.status() == Delivery.Status.WAITING
                && MemoryStory.comesFirst(subscription, lane, row, state.now()) != null;
        return blocked ? State.BLOCKED : State.valueOf(row.status().name());
    }

    private static @Nullable Hit hit(StoredEvent event, @Nullable Delivery row, EventFilter filter) {
        return filter.matches(event) ? new Hit(event, row) : null;
    }

    private static <R> Found page(
            Collection<R> rows, Function<R, Long> position, Function<R, @Nullable Hit> hit, int limit) {
        Search.requirePage(limit);
        List<Hit> hits = new ArrayList<>();
        int examined = 0;
        for (R row : rows) {
            Hit found = hit.apply(row);
            if (found != null) {
                hits.add(found);
            }
            examined++;
            if (hits.size() == limit || examined == EXAMINED_MAX) {
                return new Found(
                        hits, examined == rows.size() ? null : new Bookmark(new Position(position.apply(row))));
            }
        }
        return new Found(hits, null);
    }

    @Override
    public Optional<Story> story(EventId id) {
        synchronized (state) {
            return stories.find(id).map(stories::tell);
        }
    }

    @Override
    public Why why(String subscription, EventId id) {
        synchronized (state) {
            SubscriptionRow row = state.subscriptions.get(subscription);
            if (row == null) {
                return new Why.Unknown("the subscription '" + subscription + "'");
            }
            return stories.find(id)
                    .map(event -> stories.why(row, event))
                    .orElseGet(() -> new Why.Unknown("the event " + id));
        }
    }

    @Override
    public Chain chain(String correlationId) {
        synchronized (state) {
            List<StoredEvent> events = state.log.rows().values().stream()
                    .map(LogRow::event)
                    .filter(event -> event.id().toString().equals(correlationId)
                            || event.headers()
                                    .get(Headers.CORRELATION_ID)
                                    .filter(correlationId::equals)
                                    .isPresent())
                    .limit(CHAIN_MAX + 1)
                    .toList();
            boolean complete = events.size() <= CHAIN_MAX;
            return Chain.of(complete ? events : events.subList(0, CHAIN_MAX), complete);
        }
    }
}
