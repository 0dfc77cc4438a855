-- What was tried, and the log as people ask for it. Indexes for searching are not here: they are made segment by segment,
-- beside the appends, by prune. This file is immutable: what changes later is a migration of its own.

-- ---- attempts -----------------------------------------------------------------------------------------------------------

-- Of events that have or had a delivery row, by the statements that change those rows. Rows are only inserted; prune
-- deletes those whose events it has dropped.
CREATE TABLE ${schema}.attempt (
    subscription text        NOT NULL,
    position     bigint      NOT NULL,
    attempt      integer     NOT NULL,
    outcome      text        NOT NULL CHECK (outcome IN
        ('retrying', 'lost', 'dead', 'expired', 'delivered', 'skipped', 'replayed', 'discarded')),
    error        text,
    node         text,
    at           timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX attempt_position ON ${schema}.attempt (position);
CREATE INDEX attempt_discarded ON ${schema}.attempt (position, subscription) WHERE outcome = 'discarded';

-- ---- deliveries ---------------------------------------------------------------------------------------------------------

-- A header by its name; none where PostgreSQL cannot read them all, because one has a NUL or half a surrogate pair.
CREATE FUNCTION ${schema}.header(headers json, name text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT
AS $$
BEGIN
    RETURN headers ->> name;
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END
$$;

-- What waits for an operator has its event's time, tenant and headers beside it from now on, so that it is found by them.
UPDATE ${schema}.delivery d
SET headers = o.headers, tenant = o.tenant, appended_at = o.appended_at
FROM ${schema}.outbox_log o
WHERE d.status IN ('dead', 'expired') AND d.payload IS NULL AND o.lane = d.lane AND o.position = d.position;

-- The row that comes first of a key. Tasks that run have leases, and no order.
CREATE INDEX delivery_key ON ${schema}.delivery (subscription, key, position)
    WHERE key IS NOT NULL AND status IN ('retrying', 'running', 'dead') AND lease_until IS NULL;
-- Rows whose events the log has dropped.
CREATE INDEX delivery_gone ON ${schema}.delivery (id) WHERE payload IS NOT NULL;
CREATE INDEX delivery_failed ON ${schema}.delivery (appended_at) WHERE status IN ('dead', 'expired');
CREATE INDEX delivery_failed_key ON ${schema}.delivery (key, appended_at) WHERE status IN ('dead', 'expired');
CREATE INDEX delivery_failed_tenant ON ${schema}.delivery (tenant, appended_at) WHERE status IN ('dead', 'expired');
CREATE INDEX delivery_failed_user ON ${schema}.delivery ((${schema}.header(headers, 'userId')), appended_at)
    WHERE status IN ('dead', 'expired');

-- The same for dead events that are kept apart.
CREATE INDEX dead_events_appended ON ${schema}.dead_events (appended_at) WHERE status = 'pending';
CREATE INDEX dead_events_key ON ${schema}.dead_events (key, appended_at) WHERE status = 'pending';
CREATE INDEX dead_events_tenant ON ${schema}.dead_events (tenant, appended_at) WHERE status = 'pending';
CREATE INDEX dead_events_user ON ${schema}.dead_events ((${schema}.header(headers, 'userId')), appended_at)
    WHERE status = 'pending';
CREATE INDEX dead_events_id ON ${schema}.dead_events (id) WHERE status = 'pending';

-- Delivery rows wherever they are kept.
CREATE VIEW ${schema}.delivery_row AS
SELECT subscription, lane, position, id, type, key, status, attempt, due_at, suspect, error, expires_at, priority,
    payload, headers, tenant, appended_at, changed_at, owner, lease_until
FROM ${schema}.delivery
UNION ALL
SELECT subscription, lane, position, id, type, key, 'dead', attempts, died_at, false, error, expires_at, priority,
    payload, headers, tenant, appended_at, died_at, NULL, NULL
FROM ${schema}.dead_events WHERE status = 'pending';

-- ---- where an event stands ----------------------------------------------------------------------------------------------

-- Whether a cursor has come past a visible row.
CREATE FUNCTION ${schema}.handled("position" bigint, xid xid8, reached bigint, snapshot pg_snapshot, floor bigint,
    late_from bigint, late_pinned pg_snapshot) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN position <= floor THEN true
        WHEN position > reached THEN false
        WHEN pg_visible_in_snapshot(xid, snapshot) THEN true
        ELSE coalesce(position <= late_from AND pg_visible_in_snapshot(xid, late_pinned), false)
    END
$$;

-- A subscription's filter as a regular expression over types; see FilterText.
CREATE FUNCTION ${schema}.pattern(filter text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN trim(filter) = '' THEN '' ELSE '^(?:' || replace(replace(replace(replace(
        regexp_replace(trim(filter), '([^\w* ])', '\\\1', 'g'), '**', chr(1)), '*', '[^.]*'), chr(1), '.*'), ' ', '|')
        || ')$' END
$$;

-- When an event was settled: by its last attempt if it had a delivery row; otherwise by the first settlement of its lane
-- that had come past it. Each goes further than the one before, so it is looked for where it should be if all went equally
-- far, and after some such steps by halving. NULL where that has been pruned.
CREATE FUNCTION ${schema}.settled_at(subscription text, lane smallint, "position" bigint, xid xid8) RETURNS timestamptz
    LANGUAGE plpgsql STABLE
AS $$
DECLARE
    one         record;
    low         bigint;
    low_reached bigint;
    top         bigint;
    top_reached bigint;
    guess       bigint;
    steps       integer := 0;
    found       timestamptz;
BEGIN
    SELECT max(a.at) INTO found FROM ${schema}.attempt a
    WHERE a.position = $3 AND a.subscription = $1 AND a.outcome IN ('delivered', 'skipped');
    IF found IS NOT NULL THEN
        RETURN found;
    END IF;
    SELECT s.number, s.reached,
        ${schema}.handled($3, $4, s.reached, s.snapshot, s.floor, s.late_from, s.late_pinned) AS handled
    INTO one FROM ${schema}.settlement s WHERE s.subscription = $1 AND s.lane = $2 ORDER BY s.number LIMIT 1;
    IF one.handled IS NOT FALSE THEN
        RETURN NULL;
    END IF;
    low := one.number;
    low_reached := one.reached;
    SELECT s.number + 1, s.reached INTO top, top_reached FROM ${schema}.settlement s
    WHERE s.subscription = $1 AND s.lane = $2 ORDER BY s.number DESC LIMIT 1;
    -- Not at low or below; what is at top or above has been looked at. Numbers may be missing.
    WHILE low + 1 < top LOOP
        steps := steps + 1;
        guess := CASE WHEN steps <= 6 AND low_reached < $3 AND $3 < top_reached
            THEN low + ceil((top - low) * (($3 - low_reached)::float8 / (top_reached - low_reached)))::bigint
            ELSE (low + top) / 2 END;
        guess := greatest(low + 1, least(top - 1, guess));
        SELECT s.number, s.reached, s.settled_at,
            ${schema}.handled($3, $4, s.reached, s.snapshot, s.floor, s.late_from, s.late_pinned) AS handled
        INTO one FROM ${schema}.settlement s
        WHERE s.subscription = $1 AND s.lane = $2 AND s.number >= guess ORDER BY s.number LIMIT 1;
        IF one.number IS NULL OR one.number >= top THEN
            top := guess;
        ELSIF one.handled THEN
            found := one.settled_at;
            top := guess;
            top_reached := one.reached;
        ELSE
            low := one.number;
            low_reached := one.reached;
        END IF;
    END LOOP;
    RETURN found;
END
$$;

-- How many attempts a delivered event needed.
CREATE FUNCTION ${schema}.attempts(subscription text, "position" bigint) RETURNS integer
    LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN coalesce((SELECT max(a.attempt) FROM ${schema}.attempt a
        WHERE a.position = $2 AND a.subscription = $1 AND a.outcome = 'delivered'), 1);
END
$$;

-- The payload of a delivery row's event, while the log has it.
CREATE FUNCTION ${schema}.payload_at(lane smallint, "position" bigint) RETURNS json
    LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (SELECT o.payload FROM ${schema}.outbox_log o WHERE o.lane = $1 AND o.position = $2);
END
$$;

-- The event of a delivery row, while the log has it.
CREATE FUNCTION ${schema}.event_at(lane smallint, "position" bigint) RETURNS SETOF ${schema}.outbox_log
    LANGUAGE plpgsql STABLE ROWS 1
AS $$
BEGIN
    RETURN QUERY SELECT o.* FROM ${schema}.outbox_log o WHERE o.lane = $1 AND o.position = $2;
END
$$;

-- How far the lanes of subscriptions are, what those take, and where they began if the settlements still tell: all of
-- them, or of one subscription, or one lane. A function, because its plan is kept, and it is in many queries.
CREATE FUNCTION ${schema}.cursors(only_subscription text DEFAULT NULL, only_lane smallint DEFAULT NULL)
    RETURNS TABLE (subscription text, lane smallint, pattern text, reached bigint, snapshot pg_snapshot, bound xid8,
        floor bigint, late_from bigint, late_pinned pg_snapshot, began bigint, began_snapshot pg_snapshot,
        began_floor bigint)
    LANGUAGE plpgsql STABLE ROWS 16
AS $$
BEGIN
    RETURN QUERY
    SELECT l.subscription, l.lane, ${schema}.pattern(u.filter), s.reached, s.snapshot, s.bound, s.floor, s.late_from,
        s.late_pinned, b.reached, b.snapshot, b.floor
    FROM ${schema}.subscription u JOIN ${schema}.lane l ON l.subscription = u.name
    CROSS JOIN LATERAL (
        SELECT * FROM ${schema}.settlement s WHERE s.subscription = l.subscription AND s.lane = l.lane
        ORDER BY s.number DESC LIMIT 1
    ) s
    LEFT JOIN LATERAL (
        SELECT * FROM ${schema}.settlement s WHERE s.subscription = l.subscription AND s.lane = l.lane AND s.number = 0
        ORDER BY s.number LIMIT 1
    ) b ON true
    WHERE (only_subscription IS NULL OR u.name = only_subscription) AND (only_lane IS NULL OR l.lane = only_lane);
END
$$;

-- Events that a lane has passed because their transactions were open, found as in PostgresRead.
CREATE FUNCTION ${schema}.late_events(lane smallint, reached bigint, snapshot pg_snapshot, bound xid8, floor bigint,
    late_from bigint, late_pinned pg_snapshot) RETURNS SETOF ${schema}.outbox_log
    LANGUAGE plpgsql STABLE ROWS 10
AS $$
BEGIN
    RETURN QUERY
    SELECT o.* FROM (
        SELECT e.* FROM pg_snapshot_xip($3) AS held (xid) CROSS JOIN LATERAL (
            SELECT * FROM ${schema}.outbox_log e WHERE e.lane = $1 AND e.position > $5 AND e.position + 0 <= $2
              AND e.xid = held.xid
            OFFSET 0
        ) e
        UNION ALL
        SELECT e.* FROM ${schema}.outbox_log e WHERE e.lane = $1 AND e.position > $5 AND e.position + 0 <= $2
          AND e.xid >= pg_snapshot_xmax($3) AND e.xid < $4
    ) o
    WHERE NOT coalesce(o.position <= $6 AND pg_visible_in_snapshot(o.xid, $7), false);
END
$$;

-- Events that a lane has not come to. A function in SQL, because one of those hands its rows on one by one, and with a
-- number of rows that keeps the planner from taking a third of the log for pending.
CREATE FUNCTION ${schema}.fresh_events(lane smallint, reached bigint) RETURNS SETOF ${schema}.outbox_log
    LANGUAGE sql STABLE ROWS 10
AS $$
    SELECT * FROM ${schema}.outbox_log e WHERE e.lane = $1 AND e.position > $2 ORDER BY e.position
$$;

-- What was delivered, to whom. A join and no more, so that it is fast in every order that an index has.
CREATE VIEW ${schema}.event_delivered AS
SELECT c.subscription, o.position, o.id, o.type, o.key, o.tenant, ${schema}.header(o.headers, 'userId') AS user_id,
    o.headers, o.payload, o.appended_at, o.expires_at, o.lane, o.xid,
    ${schema}.settled_at(c.subscription, o.lane, o.position, o.xid) AS settled_at
FROM ${schema}.outbox_log o JOIN ${schema}.cursors() c ON c.lane = o.lane
-- The comparisons with numbers tell the planner that nearly everything matches, as it does.
WHERE CASE WHEN ${schema}.handled(o.position, o.xid, c.reached, c.snapshot, c.floor, c.late_from, c.late_pinned)
           THEN 1 ELSE 0 END <> 0
  AND CASE WHEN o.type ~ c.pattern THEN 1 ELSE 0 END <> 0
  AND CASE WHEN ${schema}.handled(o.position, o.xid, c.began, c.began_snapshot, c.began_floor, NULL, NULL)
           THEN 1 ELSE 0 END <> 1
  AND NOT EXISTS (SELECT FROM ${schema}.delivery d
      WHERE d.subscription = c.subscription AND d.lane = o.lane AND d.position = o.position)
  AND NOT EXISTS (SELECT FROM ${schema}.dead_events e
      WHERE e.subscription = c.subscription AND e.position = o.position AND e.status = 'pending')
  AND NOT EXISTS (SELECT FROM ${schema}.attempt a
      WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome = 'discarded');
COMMENT ON VIEW ${schema}.event_delivered IS
    'A row for each event and subscription to which it was delivered. Ask with ORDER BY appended_at DESC and a LIMIT.';

-- A row for each event in each subscription that takes it. Every branch has one standing, so that those which are not
-- asked for need not be looked at. With a LIMIT, the order within branches makes those of one standing come newest first,
-- and no more be read than is shown. When a delivered event was settled is not here, but around it, where only what is
-- shown is asked for.
CREATE VIEW ${schema}.event_standing AS
(
    SELECT e.subscription, e.position, e.id, e.type, e.key, e.tenant, e.user_id, e.headers, e.payload,
        'delivered'::text AS standing, NULL::integer AS attempt, NULL::timestamptz AS due_at, e.appended_at,
        e.expires_at, NULL::text AS error, e.lane, e.xid
    FROM ${schema}.event_delivered e ORDER BY e.appended_at DESC
)
UNION ALL
SELECT p.subscription, (p.o).position, (p.o).id, (p.o).type, (p.o).key, (p.o).tenant,
    ${schema}.header((p.o).headers, 'userId'), (p.o).headers, (p.o).payload, 'pending', 0,
    coalesce((p.o).deliver_at, (p.o).appended_at), (p.o).appended_at, (p.o).expires_at, NULL, (p.o).lane, (p.o).xid
FROM (SELECT c.subscription, c.pattern, ${schema}.fresh_events(c.lane, c.reached) AS o FROM ${schema}.cursors() c) p
WHERE (p.o).type ~ p.pattern
UNION ALL
SELECT c.subscription, o.position, o.id, o.type, o.key, o.tenant, ${schema}.header(o.headers, 'userId'),
    o.headers, o.payload, 'pending', 0, coalesce(o.deliver_at, o.appended_at), o.appended_at, o.expires_at, NULL,
    o.lane, o.xid
FROM ${schema}.cursors() c CROSS JOIN LATERAL ${schema}.late_events(
    c.lane, c.reached, c.snapshot, c.bound, c.floor, c.late_from, c.late_pinned) o
WHERE c.floor < c.reached AND o.type ~ c.pattern
  AND (pg_snapshot_xmin(c.snapshot) < pg_snapshot_xmax(c.snapshot) OR pg_snapshot_xmax(c.snapshot) < c.bound)
UNION ALL
SELECT d.subscription, d.position, d.id, d.type, d.key, coalesce(d.tenant, o.tenant),
    ${schema}.header(coalesce(d.headers, o.headers), 'userId'), coalesce(d.headers, o.headers),
    coalesce(d.payload, o.payload), 'waiting', d.attempt, d.due_at, coalesce(d.appended_at, o.appended_at),
    d.expires_at, d.error, d.lane, NULL
FROM ${schema}.subscription s JOIN ${schema}.delivery d ON d.subscription = s.name AND d.status IN ('ready', 'retrying')
LEFT JOIN LATERAL ${schema}.event_at(d.lane, d.position) o ON d.payload IS NULL
UNION ALL
SELECT d.subscription, d.position, d.id, d.type, d.key, coalesce(d.tenant, o.tenant),
    ${schema}.header(coalesce(d.headers, o.headers), 'userId'), coalesce(d.headers, o.headers),
    coalesce(d.payload, o.payload), 'running', d.attempt, d.due_at, coalesce(d.appended_at, o.appended_at),
    d.expires_at, d.error, d.lane, NULL
FROM ${schema}.subscription s JOIN ${schema}.delivery d ON d.subscription = s.name AND d.status = 'running'
LEFT JOIN LATERAL ${schema}.event_at(d.lane, d.position) o ON d.payload IS NULL
UNION ALL
(
    SELECT d.subscription, d.position, d.id, d.type, d.key, d.tenant, ${schema}.header(d.headers, 'userId'),
        d.headers, coalesce(d.payload, ${schema}.payload_at(d.lane, d.position)), 'dead', d.attempt, NULL,
        d.appended_at, d.expires_at, d.error, d.lane, NULL
    FROM ${schema}.delivery d WHERE d.status = 'dead' ORDER BY d.appended_at DESC
)
UNION ALL
(
    SELECT e.subscription, e.position, e.id, e.type, e.key, e.tenant, ${schema}.header(e.headers, 'userId'),
        e.headers, e.payload, 'dead', e.attempts, NULL, e.appended_at, e.expires_at, e.error, e.lane, NULL
    FROM ${schema}.dead_events e WHERE e.status = 'pending' ORDER BY e.appended_at DESC
)
UNION ALL
(
    SELECT d.subscription, d.position, d.id, d.type, d.key, d.tenant, ${schema}.header(d.headers, 'userId'),
        d.headers, coalesce(d.payload, ${schema}.payload_at(d.lane, d.position)), 'expired', d.attempt, NULL,
        d.appended_at, d.expires_at, d.error, d.lane, NULL
    FROM ${schema}.delivery d WHERE d.status = 'expired' ORDER BY d.appended_at DESC
);
COMMENT ON VIEW ${schema}.event_standing IS
    'Where every event stands, a row for each event in each subscription whose filter takes it: delivered, pending (in the '
    'log, not yet come to), waiting (parked until due_at), running, dead, expired. Discarded events have no row.';

-- ---- the shapes that others know ----------------------------------------------------------------------------------------

CREATE VIEW ${schema}.event_outbox AS
SELECT id,
    coalesce(${schema}.header(headers, 'aggregateType'), split_part(type, '.', 1)) AS aggregate_type,
    key AS aggregate_id, tenant AS project_id, user_id, type AS event_type, payload,
    CASE standing WHEN 'delivered' THEN 'published' WHEN 'dead' THEN 'failed' WHEN 'expired' THEN 'failed'
        ELSE 'pending' END AS status,
    CASE standing WHEN 'delivered' THEN ${schema}.attempts(subscription, position) - 1
        WHEN 'running' THEN greatest(attempt - 1, 0) ELSE attempt END AS retry_count,
    due_at AS next_retry_at, appended_at AS created_at,
    CASE standing WHEN 'delivered' THEN ${schema}.settled_at(subscription, lane, position, xid) END AS published_at,
    error AS last_error,
    subscription, position
FROM ${schema}.event_standing;
COMMENT ON VIEW ${schema}.event_outbox IS
    'A row for each event in each subscription whose filter takes it. status: pending, published, failed (dead or expired). '
    'aggregate_id is the key, aggregate_type the header aggregateType or what precedes the first dot of the type, '
    'project_id the tenant, user_id the header userId. Ask with a status and a LIMIT: rows of one status come newest first.';

CREATE VIEW ${schema}.outbox_events AS
SELECT id,
    coalesce(${schema}.header(headers, 'stream'), split_part(type, '.', 1)) AS stream,
    type AS topic, payload, appended_at AS created_at,
    CASE standing WHEN 'delivered' THEN true ELSE false END AS processed,
    CASE standing WHEN 'delivered' THEN ${schema}.settled_at(subscription, lane, position, xid) END AS processed_at, error,
    subscription, key, position
FROM ${schema}.event_standing;
COMMENT ON VIEW ${schema}.outbox_events IS
    'A row for each event in each subscription whose filter takes it. topic is the type, stream the header stream or what '
    'precedes the first dot of the type; not processed and with an error: it failed. Ask with a LIMIT: what is processed '
    'comes newest first.';

CREATE VIEW ${schema}.event_handling AS
SELECT id, type AS event_name, payload,
    CASE standing WHEN 'delivered' THEN 'processed' WHEN 'running' THEN 'processing' WHEN 'dead' THEN 'failed'
        WHEN 'expired' THEN 'failed' ELSE 'pending' END AS status,
    CASE standing WHEN 'delivered' THEN ${schema}.attempts(subscription, position) ELSE attempt END AS attempt,
    NULL::integer AS max_attempts, key AS group_id, appended_at AS created_at,
    CASE standing WHEN 'delivered' THEN ${schema}.settled_at(subscription, lane, position, xid) END AS processed_at,
    expires_at AS expired_at, error AS last_error, headers AS metadata, subscription, position
FROM ${schema}.event_standing;
COMMENT ON VIEW ${schema}.event_handling IS
    'A row for each event in each subscription whose filter takes it. status: pending, processing, processed, failed (dead '
    'or expired). max_attempts is in the code of the handlers, not here. Ask with a status and a LIMIT: rows of one '
    'status come newest first.';
