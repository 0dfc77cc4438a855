package io.postrider.postgres;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.StoredEvent;
import io.postrider.operate.Chain;
import io.postrider.operate.Search;
import io.postrider.postgres.SearchSegments.SearchSegment;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Gathers the events of one correlation id, the oldest first, because a chain begins there. Segments that are not
 * indexed are looked through newest first, as far as one page of a search goes.
 */
final class ChainScan {
    private final Jdbc jdbc;
    private final Connection connection;
    private final String correlationId;
    private final List<StoredEvent> events = new ArrayList<>();
    private boolean complete = true;

    ChainScan(Jdbc jdbc, Connection connection, String correlationId) {
        this.jdbc = jdbc;
        this.connection = connection;
        this.correlationId = correlationId;
    }

    Chain chain() throws SQLException {
        List<SearchSegment> segments =
                new ArrayList<>(new SearchSegments(jdbc).list(connection).segments());
        segments.sort(Comparator.comparingLong(SearchSegment::from));
        List<SearchSegment> unindexed = new ArrayList<>();
        for (SearchSegment segment : segments) {
            if (events.size() > Search.CHAIN_MAX) {
                break;
            } else if (segment.has(SearchIndex.CORRELATION)) {
                gather(segment);
            } else {
                unindexed.add(segment);
            }
        }
        for (SearchSegment segment : unindexed) {
            if (events.size() <= Search.CHAIN_MAX) {
                lookThrough(segment);
            }
        }
        addRoot();
        boolean all = events.size() <= Search.CHAIN_MAX;
        return Chain.of(all ? events : events.subList(0, Search.CHAIN_MAX), all && complete);
    }

    /** An event that began a chain has no correlation id: its own id is that of its effects, which name it as cause. */
    private void addRoot() throws SQLException {
        boolean named = events.stream().anyMatch(this::isEffectOfRoot);
        if (!named && !events.isEmpty()) {
            return;
        }
        Optional<EventId> id = id();
        StoredEvent root = id.isEmpty() ? null : new PostgresStory(jdbc).event(connection, id.get());
        if (root != null && !events.contains(root)) {
            events.add(0, root);
        }
    }

    private boolean isEffectOfRoot(StoredEvent event) {
        return event.headers()
                .get(Headers.CAUSATION_ID)
                .filter(correlationId::equals)
                .isPresent();
    }

    private Optional<EventId> id() {
        try {
            return Optional.of(EventId.of(correlationId));
        } catch (IllegalArgumentException noId) {
            return Optional.empty();
        }
    }

    private void gather(SearchSegment segment) throws SQLException {
        String sql = jdbc.sql("SELECT " + Rows.EVENT + " FROM {" + segment.name() + "} o"
                + " WHERE {header}(o.headers, 'correlationId') = ? ORDER BY o.position LIMIT "
                + (Search.CHAIN_MAX + 1 - events.size()));
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, correlationId);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    events.add(Rows.shown(row, 1));
                }
            }
        }
    }

    private void lookThrough(SearchSegment segment) throws SQLException {
        EventFilter filter = EventFilter.ALL.correlationId(correlationId);
        EventScan.Query query = EventScan.Query.of(filter, null, Search.PAGE_MAX);
        Search.Found found = new EventScan(jdbc, connection, query).page(segment);
        events.addAll(found.events());
        complete &= found.next() == null;
    }
}
