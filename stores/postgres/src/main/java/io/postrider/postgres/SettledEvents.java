package io.postrider.postgres;

/**
 * Events that a subscription has settled and that have no delivery row, in SQL: which they are, how they stand, and
 * what gives them a row again.
 *
 * <p>The parts share their names: {@code h} is what is asked for, with the columns of {@link Targets}; {@code s} the
 * subscription; {@code l} a lane, how far it is looked through and where its cursor was; {@code o} an event of the log.
 */
final class SettledEvents {
    /** How far times may be out of the order of positions. */
    private static final String SKEW = "interval '1 minute'";

    /** The subscription of {@code h}; {@code since} is when its events must have been left alone. */
    static String subscription(String since) {
        return "SELECT u.name, u.created_at, {pattern}(u.filter) AS pattern, " + since
                + " AS since FROM h JOIN {subscription} u ON u.name = h.subscription";
    }

    /** The lanes of {@code h}, with the columns of table {@code operation_lane} but for the operation. */
    static final String LANES = """
            SELECT c.lane,
                greatest(0, h.from_position - 1, CASE WHEN h.appended_from IS NOT NULL
                    THEN {position_at}(c.lane, h.appended_from - %1$s) - 1 END) AS reached,
                least(c.reached, h.to_position, CASE WHEN h.appended_until IS NOT NULL
                    THEN {position_at}(c.lane, h.appended_until + %1$s) - 1 END) AS up_to,
                c.reached AS at_reached, c.snapshot AS at_snapshot, c.floor AS at_floor, c.late_from AS at_late_from,
                c.late_pinned AS at_late_pinned, c.began, c.began_snapshot, c.began_floor
            FROM h CROSS JOIN LATERAL
                {cursors}(h.subscription, CASE WHEN h.key IS NOT NULL THEN {lane_of}(h.key, NULL) END) c
            """.formatted(SKEW);

    /** What is looked at of a lane {@code l}, in few segments. */
    static final String EVENTS_OF_LANE = eventsOfLane("l.up_to", "NULL");

    /** The same in many segments, where nothing is made of the events: each is unlocked once it was looked at. */
    static final String EVENTS_OF_LANE_UNLOCKED = eventsOfLane("{events_unlocked}(l.lane, l.reached, l.up_to)");

    /**
     * The first of them. The segments are named, so that others are not locked; those that are looked at stay locked
     * until the statement has committed, and a prune that waits for one then sees the rows its events were given.
     *
     * @param upTo the last position
     * @param most how many at most; NULL for all
     */
    static String eventsOfLane(String upTo, String most) {
        return eventsOfLane("{events_between}(l.lane, l.reached, %s, %s)".formatted(upTo, most));
    }

    private static String eventsOfLane(String source) {
        return """
                SELECT l.lane, e.position, e.xid, e.id, e.type, e.key, e.headers, e.tenant, e.appended_at, e.deliver_at,
                    e.priority
                FROM %s e
                """.formatted(source);
    }

    /**
     * What else is known of {@code o}. A LIMIT in each has it looked up event by event: a join might read whole tables.
     */
    static final String KNOWN = """
            LEFT JOIN LATERAL (
                SELECT true AS found FROM {delivery} r
                WHERE r.subscription = s.name AND r.lane = o.lane AND r.position = o.position LIMIT 1
            ) d ON true
            LEFT JOIN LATERAL (
                SELECT true AS found FROM {dead_events} r
                WHERE r.subscription = s.name AND r.position = o.position AND r.status = 'pending' LIMIT 1
            ) x ON true
            LEFT JOIN LATERAL (
                SELECT r.outcome, r.at FROM {own_attempt} r
                WHERE r.position = o.position AND r.subscription = s.name
                ORDER BY r.at DESC LIMIT 1
            ) a ON true
            """;

    /** Whether the filter that was in force when the lane came past it took it. */
    private static final String WAS_TAKEN = "{taken}(s.name, o.lane, o.position, o.xid, o.type)";

    static final String HANDLED =
            "{handled}(o.position, o.xid, l.at_reached, l.at_snapshot, l.at_floor, l.at_late_from, l.at_late_pinned)";

    static final String BEFORE_START =
            "coalesce({handled}(o.position, o.xid, l.began, l.began_snapshot, l.began_floor, NULL, NULL), false)";

    /** Of an event that is settled. */
    static final String STANDING = "CASE WHEN a.outcome IN ('delivered', 'skipped') THEN a.outcome WHEN " + WAS_TAKEN
            + " THEN 'delivered' ELSE 'skipped' END";

    /** Whether it would be dispatched by now, rather than skipped again. */
    static final String TAKEN = "(o.type ~ s.pattern AND coalesce({header}(o.headers, 'onlyFor'), s.name) = s.name)";

    /** Whether {@code o} is what {@code h} is about, taken or not. */
    static final String MATCHES = """
            (h.type IS NULL OR o.type = h.type) AND (h.key IS NULL OR o.key = h.key)
            AND (h.tenant IS NULL OR o.tenant = h.tenant)
            AND (h.user_id IS NULL OR {header}(o.headers, 'userId') = h.user_id)
            AND (h.correlation_id IS NULL OR {header}(o.headers, 'correlationId') = h.correlation_id)
            AND (h.appended_from IS NULL OR o.appended_at >= h.appended_from)
            AND (h.appended_until IS NULL OR o.appended_at < h.appended_until)
            AND %1$s AND NOT %2$s AND d.found IS NULL AND x.found IS NULL
            AND coalesce(a.outcome <> 'discarded' AND a.at <= s.since, true) AND %3$s = ANY (h.states)
            """.formatted(HANDLED, BEFORE_START, STANDING);

    /** All events that {@code h} is about, taken or not, in few segments. */
    static final String EVENTS = events(EVENTS_OF_LANE);

    /** The same in many segments, to be counted. */
    static final String EVENTS_UNLOCKED = events(EVENTS_OF_LANE_UNLOCKED);

    /** Lane by lane, by the OFFSET: a join might read the log. */
    private static String events(String ofLane) {
        return " FROM h, s, l CROSS JOIN LATERAL (" + ofLane + " OFFSET 0) o " + KNOWN + " WHERE " + MATCHES;
    }

    /**
     * Gives those in {@code picked} a row each; {@code moved} are those that had none. An event that was delivered has
     * its effect again: the record of the first goes.
     *
     * @param operation its id, or NULL
     * @param who who wants it
     */
    static String replay(String operation, String who) {
        return """
                , inserted AS (
                    INSERT INTO {delivery} (subscription, lane, position, id, type, key, status, attempt, due_at,
                        suspect, priority, operation)
                    SELECT s.name, p.lane, p.position, p.id, p.type, p.key, 'waiting', 0,
                        greatest(now(), p.deliver_at), false, coalesce(p.priority, 0), %1$s
                    FROM picked p, h, s ORDER BY p.lane, p.position
                    ON CONFLICT DO NOTHING
                    RETURNING subscription, lane, position, id
                ), moved AS (
                    SELECT i.*, p.standing FROM inserted i JOIN picked p ON p.lane = i.lane AND p.position = i.position
                ), told AS (
                    UPDATE {lane} t SET requests = t.requests + 1 FROM (
                        SELECT subscription, lane FROM {lane}
                        WHERE subscription = (SELECT name FROM s) AND lane IN (SELECT lane FROM moved)
                        ORDER BY lane FOR NO KEY UPDATE
                    ) m
                    WHERE t.subscription = m.subscription AND t.lane = m.lane
                ), tallied AS (
                    INSERT INTO {tally} (subscription, delivered, skipped, parked)
                    SELECT subscription, -count(*) FILTER (WHERE standing = 'delivered'),
                        -count(*) FILTER (WHERE standing = 'skipped'), count(*)
                    FROM moved GROUP BY subscription
                ), tried AS (
                    INSERT INTO {attempt} (subscription, position, attempt, outcome, node)
                    SELECT m.subscription, m.position, 0, 'replayed', %2$s FROM moved m, h
                ), forgotten AS (
                    DELETE FROM {processed} f USING moved m
                    WHERE m.standing = 'delivered' AND f.event = m.id AND f.handler = m.subscription
                      AND f.bucket = (%3$s)::smallint
                )
                """.formatted(operation, who, BucketRing.bucketOf("m.id"));
    }

    private SettledEvents() {}
}
