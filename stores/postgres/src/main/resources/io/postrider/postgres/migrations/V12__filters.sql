-- Filters and their changes: which one was in force when a lane passed an event. This file is immutable: what changes later
-- is a migration of its own. Older code is refused: it would change a filter without taking the lanes away.

-- filter_at: when a node was last known to have the filter, beside those that have a lease. filter_before: the one before.
ALTER TABLE ${schema}.subscription
    ADD COLUMN filter_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ADD COLUMN filter_before text;

-- The filters that a node has, by subscription, also of those it stands by for.
ALTER TABLE ${schema}.node ADD COLUMN filters jsonb NOT NULL DEFAULT '{}';

-- Filters that were changed, and how far each lane had come under them. The number is that of the lane's settlement: a
-- second change without a settlement in between adds nothing. Goes with the events that it tells of.
CREATE TABLE ${schema}.past_filter (
    subscription text        NOT NULL REFERENCES ${schema}.subscription ON DELETE CASCADE,
    lane         smallint    NOT NULL,
    number       bigint      NOT NULL,
    filter       text        NOT NULL,
    reached      bigint      NOT NULL,
    snapshot     pg_snapshot NOT NULL,
    floor        bigint      NOT NULL,
    late_from    bigint,
    late_pinned  pg_snapshot,
    changed_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (subscription, lane, number)
);

-- ---- changes ------------------------------------------------------------------------------------------------------------

-- Whether no live node has had the stored filter for so long, and no live node has the one before it, unless that is the
-- one that is wanted.
CREATE FUNCTION ${schema}.filter_unheld(subscription text, wanted text, unheld interval) RETURNS boolean
    LANGUAGE sql STABLE
AS $$
    SELECT EXISTS (
        SELECT FROM ${schema}.subscription s
        WHERE s.name = $1 AND s.filter <> $2 AND s.filter_at <= clock_timestamp() - $3
          AND NOT EXISTS (
              SELECT FROM ${schema}.node n
              WHERE n.filters ->> $1 = s.filter AND n.lease_until > clock_timestamp() - $3)
          AND (s.filter_before IS NOT DISTINCT FROM $2 OR NOT EXISTS (
              SELECT FROM ${schema}.node n
              WHERE n.filters ->> $1 = s.filter_before AND n.lease_until > clock_timestamp())))
$$;

-- Changes a subscription's filter, and takes its lanes away, so that nothing is settled under the old one. One call, because
-- every write of a node is one statement; a function, because each statement in it sees what was settled before it got the
-- locks. With an interval, only where nobody has had the stored filter for so long.
CREATE FUNCTION ${schema}.change_filter(subscription text, wanted text, node text, unheld interval DEFAULT NULL,
        OUT known boolean, OUT was text, OUT others text[])
    LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    stored text;
BEGIN
    IF unheld IS NOT NULL AND NOT ${schema}.filter_unheld($1, $2, $4) THEN
        RETURN;
    END IF;
    -- Settles hold a lane and then ask for the key of this row: a stronger lock would meet them the other way round.
    SELECT s.filter INTO stored FROM ${schema}.subscription s WHERE s.name = $1 FOR NO KEY UPDATE;
    known := FOUND;
    IF stored IS NULL OR stored = wanted OR (unheld IS NOT NULL AND NOT ${schema}.filter_unheld($1, $2, $4)) THEN
        RETURN;
    END IF;
    was := stored;
    PERFORM FROM ${schema}.lane l WHERE l.subscription = $1 ORDER BY l.lane FOR NO KEY UPDATE;
    INSERT INTO ${schema}.past_filter (subscription, lane, number, filter, reached, snapshot, floor, late_from, late_pinned)
    SELECT l.subscription, l.lane, s.number, stored, s.reached, s.snapshot, s.floor, s.late_from, s.late_pinned
    FROM ${schema}.lane l CROSS JOIN LATERAL (
        SELECT * FROM ${schema}.settlement s WHERE s.subscription = l.subscription AND s.lane = l.lane
        ORDER BY s.number DESC LIMIT 1
    ) s
    WHERE l.subscription = $1
    ON CONFLICT DO NOTHING;
    -- A lane whose owner fell silent counts as taken over, so that an event that ends its process is found all the same.
    UPDATE ${schema}.lane l SET owner = NULL, epoch = l.epoch + 1,
        takeovers = l.takeovers + CASE WHEN l.owner IS NULL OR EXISTS (
            SELECT FROM ${schema}.node n WHERE n.id = l.owner AND n.lease_until > clock_timestamp()) THEN 0 ELSE 1 END
    WHERE l.subscription = $1;
    -- A task that the old filter did not take was claimed only to be skipped.
    UPDATE ${schema}.delivery d SET status = 'ready', owner = NULL, lease_until = NULL, changed_at = now()
    WHERE d.subscription = $1 AND d.lease_until IS NOT NULL AND d.status = 'running'
      AND d.type !~ ${schema}.pattern(stored);
    UPDATE ${schema}.subscription s SET filter = wanted, filter_at = clock_timestamp(), filter_before = stored
    WHERE s.name = $1;
    INSERT INTO ${schema}.audit (who, why, action, subscription, details)
    VALUES ($3,
        CASE WHEN unheld IS NULL THEN 'it started with another filter' ELSE 'no live node had the filter any more' END,
        CASE WHEN unheld IS NULL THEN 'change_filter' ELSE 'take_filter_back' END,
        $1, json_build_object('from', stored, 'to', wanted));
    others := ARRAY(SELECT n.id FROM ${schema}.node n
        WHERE n.lease_until > clock_timestamp() AND n.id <> $3 AND n.filters ->> $1 <> wanted ORDER BY n.id);
END
$$;

-- ---- what was taken -----------------------------------------------------------------------------------------------------

-- Under which filter an event was settled, and whether that took its type: by its last attempt if it had a delivery row;
-- otherwise by the first past filter under which its lane had come past it, or by the present one if there is none.
CREATE FUNCTION ${schema}.judged(subscription text, lane smallint, "position" bigint, xid xid8, type text,
        OUT filter text, OUT taken boolean)
    LANGUAGE plpgsql STABLE
AS $$
DECLARE
    last record;
BEGIN
    SELECT a.outcome, a.at INTO last
    FROM ${schema}.attempt a JOIN ${schema}.subscription s ON s.name = a.subscription
    WHERE a.position = $3 AND a.subscription = $1 AND a.outcome IN ('delivered', 'skipped') AND a.at >= s.created_at
    ORDER BY a.at DESC LIMIT 1;
    IF FOUND THEN
        taken := last.outcome = 'delivered';
        SELECT f.filter INTO filter FROM ${schema}.past_filter f
        WHERE f.subscription = $1 AND f.lane = $2 AND f.changed_at > last.at ORDER BY f.number LIMIT 1;
    ELSE
        SELECT f.filter INTO filter FROM ${schema}.past_filter f
        WHERE f.subscription = $1 AND f.lane = $2
          AND ${schema}.handled($3, $4, f.reached, f.snapshot, f.floor, f.late_from, f.late_pinned)
        ORDER BY f.number LIMIT 1;
    END IF;
    IF filter IS NULL THEN
        SELECT s.filter INTO filter FROM ${schema}.subscription s WHERE s.name = $1;
    END IF;
    taken := coalesce(taken, $5 ~ ${schema}.pattern(filter));
END
$$;

-- Whether a lane that has passed an event took it, and did not skip it: by the filter of then, not of now.
CREATE FUNCTION ${schema}.taken(subscription text, lane smallint, "position" bigint, xid xid8, type text) RETURNS boolean
    LANGUAGE sql STABLE
AS $$
    SELECT j.taken FROM ${schema}.judged($1, $2, $3, $4, $5) j
$$;

-- Cursors, and the position above which no past filter was in force; NULL where there is none.
CREATE FUNCTION ${schema}.cursors_and_filters(only_subscription text DEFAULT NULL, only_lane smallint DEFAULT NULL)
    RETURNS TABLE (subscription text, lane smallint, pattern text, reached bigint, snapshot pg_snapshot, bound xid8,
        floor bigint, late_from bigint, late_pinned pg_snapshot, began bigint, began_snapshot pg_snapshot,
        began_floor bigint, changed_to bigint)
    LANGUAGE plpgsql STABLE ROWS 16
AS $$
BEGIN
    RETURN QUERY
    SELECT c.*, (SELECT max(f.reached) FROM ${schema}.past_filter f
        WHERE f.subscription = c.subscription AND f.lane = c.lane)
    FROM ${schema}.cursors(only_subscription, only_lane) c;
END
$$;

-- ---- views --------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW ${schema}.event_delivered AS
SELECT c.subscription, o.position, o.id, o.type, o.key, o.tenant, ${schema}.header(o.headers, 'userId') AS user_id,
    o.headers, o.payload, o.appended_at, o.expires_at, o.lane, o.xid,
    ${schema}.settled_at(c.subscription, o.lane, o.position, o.xid) AS settled_at
FROM ${schema}.outbox_log o JOIN ${schema}.cursors_and_filters() c ON c.lane = o.lane
-- The comparisons with numbers tell the planner that nearly everything matches, as it does.
WHERE CASE WHEN ${schema}.handled(o.position, o.xid, c.reached, c.snapshot, c.floor, c.late_from, c.late_pinned)
           THEN 1 ELSE 0 END <> 0
  AND CASE WHEN c.changed_to IS NULL OR o.position > c.changed_to THEN CASE WHEN o.type ~ c.pattern THEN 1 ELSE 0 END
           WHEN ${schema}.taken(c.subscription, o.lane, o.position, o.xid, o.type) THEN 1 ELSE 0 END <> 0
  AND CASE WHEN ${schema}.handled(o.position, o.xid, c.began, c.began_snapshot, c.began_floor, NULL, NULL)
           THEN 1 ELSE 0 END <> 1
  AND NOT EXISTS (SELECT FROM ${schema}.delivery d
      WHERE d.subscription = c.subscription AND d.lane = o.lane AND d.position = o.position)
  AND NOT EXISTS (SELECT FROM ${schema}.dead_events e
      WHERE e.subscription = c.subscription AND e.position = o.position AND e.status = 'pending')
  AND NOT EXISTS (SELECT FROM ${schema}.attempt a
      WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome = 'discarded');

-- What was skipped under a past filter although the present one takes it. Where no filter was ever changed, nothing is looked
-- at.
CREATE VIEW ${schema}.event_skipped AS
SELECT c.subscription, o.position, o.id, o.type, o.key, o.tenant, ${schema}.header(o.headers, 'userId') AS user_id,
    o.headers, o.payload, o.appended_at, o.expires_at, o.lane, o.xid, j.filter
FROM ${schema}.outbox_log o JOIN ${schema}.cursors_and_filters() c ON c.lane = o.lane AND o.position <= c.changed_to
CROSS JOIN LATERAL ${schema}.judged(c.subscription, o.lane, o.position, o.xid, o.type) j
WHERE EXISTS (SELECT FROM ${schema}.past_filter)
  AND ${schema}.handled(o.position, o.xid, c.reached, c.snapshot, c.floor, c.late_from, c.late_pinned)
  AND o.type ~ c.pattern AND NOT j.taken
  AND ${schema}.handled(o.position, o.xid, c.began, c.began_snapshot, c.began_floor, NULL, NULL) IS NOT TRUE
  AND NOT EXISTS (SELECT FROM ${schema}.delivery d
      WHERE d.subscription = c.subscription AND d.lane = o.lane AND d.position = o.position)
  AND NOT EXISTS (SELECT FROM ${schema}.dead_events e
      WHERE e.subscription = c.subscription AND e.position = o.position AND e.status = 'pending')
  AND NOT EXISTS (SELECT FROM ${schema}.attempt a
      WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome = 'discarded');
COMMENT ON VIEW ${schema}.event_skipped IS
    'A row for each event and subscription whose filter takes it now, and did not when the event''s lane passed it. filter is '
    'the one of then.';

-- A row for each event in each subscription that takes it. Every branch has one standing, so that those which are not
-- asked for need not be looked at. With a LIMIT, the order within branches makes those of one standing come newest first,
-- and no more be read than is shown. When a delivered event was settled is not here, but around it, where only what is
-- shown is asked for.
CREATE OR REPLACE VIEW ${schema}.event_standing AS
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
)
UNION ALL
SELECT e.subscription, e.position, e.id, e.type, e.key, e.tenant, e.user_id, e.headers, e.payload, 'skipped', 0, NULL,
    e.appended_at, e.expires_at, 'skipped under the filter ''' || e.filter || '''', e.lane, e.xid
FROM ${schema}.event_skipped e;
COMMENT ON VIEW ${schema}.event_standing IS
    'Where every event stands, a row for each event in each subscription whose filter takes it, or took it when its lane '
    'passed it: delivered, pending (in the log, not yet come to), waiting (parked until due_at), running, dead, expired, '
    'skipped (its lane passed it under another filter). Discarded events have no row.';

CREATE OR REPLACE VIEW ${schema}.event_outbox AS
SELECT id,
    coalesce(${schema}.header(headers, 'aggregateType'), split_part(type, '.', 1)) AS aggregate_type,
    key AS aggregate_id, tenant AS project_id, user_id, type AS event_type, payload,
    CASE standing WHEN 'delivered' THEN 'published' WHEN 'dead' THEN 'failed' WHEN 'expired' THEN 'failed'
        WHEN 'skipped' THEN 'skipped' ELSE 'pending' END AS status,
    CASE standing WHEN 'delivered' THEN ${schema}.attempts(subscription, position) - 1
        WHEN 'running' THEN greatest(attempt - 1, 0) ELSE attempt END AS retry_count,
    due_at AS next_retry_at, appended_at AS created_at,
    CASE standing WHEN 'delivered' THEN ${schema}.settled_at(subscription, lane, position, xid) END AS published_at,
    error AS last_error,
    subscription, position
FROM ${schema}.event_standing;
COMMENT ON VIEW ${schema}.event_outbox IS
    'A row for each event in each subscription whose filter takes it. status: pending, published, failed (dead or expired), '
    'skipped (its lane passed it under another filter, which last_error names). '
    'aggregate_id is the key, aggregate_type the header aggregateType or what precedes the first dot of the type, '
    'project_id the tenant, user_id the header userId. Ask with a status and a LIMIT: rows of one status come newest first.';

CREATE OR REPLACE VIEW ${schema}.outbox_events AS
SELECT id,
    coalesce(${schema}.header(headers, 'stream'), split_part(type, '.', 1)) AS stream,
    type AS topic, payload, appended_at AS created_at,
    CASE standing WHEN 'delivered' THEN true ELSE false END AS processed,
    CASE standing WHEN 'delivered' THEN ${schema}.settled_at(subscription, lane, position, xid) END AS processed_at, error,
    subscription, key, position
FROM ${schema}.event_standing;
COMMENT ON VIEW ${schema}.outbox_events IS
    'A row for each event in each subscription whose filter takes it. topic is the type, stream the header stream or what '
    'precedes the first dot of the type; not processed and with an error: it failed, or its lane passed it under another '
    'filter. Ask with a LIMIT: what is processed comes newest first.';

CREATE OR REPLACE VIEW ${schema}.event_handling AS
SELECT id, type AS event_name, payload,
    CASE standing WHEN 'delivered' THEN 'processed' WHEN 'running' THEN 'processing' WHEN 'dead' THEN 'failed'
        WHEN 'expired' THEN 'failed' WHEN 'skipped' THEN 'skipped' ELSE 'pending' END AS status,
    CASE standing WHEN 'delivered' THEN ${schema}.attempts(subscription, position) ELSE attempt END AS attempt,
    NULL::integer AS max_attempts, key AS group_id, appended_at AS created_at,
    CASE standing WHEN 'delivered' THEN ${schema}.settled_at(subscription, lane, position, xid) END AS processed_at,
    expires_at AS expired_at, error AS last_error, headers AS metadata, subscription, position
FROM ${schema}.event_standing;
COMMENT ON VIEW ${schema}.event_handling IS
    'A row for each event in each subscription whose filter takes it. status: pending, processing, processed, failed (dead '
    'or expired), skipped (its lane passed it under another filter, which last_error names). max_attempts is in the code of '
    'the handlers, not here. Ask with a status and a LIMIT: rows of one status come newest first.';

-- ---- rights -----------------------------------------------------------------------------------------------------------

ALTER FUNCTION ${schema}.filter_unheld SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION ${schema}.change_filter SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION ${schema}.judged SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION ${schema}.taken SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION ${schema}.cursors_and_filters SET search_path = pg_catalog, pg_temp;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${schema} FROM PUBLIC;
