-- Each change of a filter is on record, also where two follow each other without a settlement in between: tasks are skipped
-- without one. And attempts of a removed subscription say nothing about a later one of its name. This file is immutable: what
-- changes later is a migration of its own.
-- serves: 36

ALTER TABLE ${schema}.past_filter DROP CONSTRAINT past_filter_pkey, ADD PRIMARY KEY (subscription, lane, number, changed_at);

-- Attempts of the subscriptions that there are: those of a removed one are forgotten by and by.
CREATE VIEW ${schema}.own_attempt AS
SELECT a.*, a.ctid AS place
FROM ${schema}.attempt a JOIN ${schema}.subscription s ON s.name = a.subscription AND a.at >= s.created_at;

CREATE OR REPLACE FUNCTION ${schema}.judged(subscription text, lane smallint, "position" bigint, xid xid8, type text,
        OUT filter text, OUT taken boolean)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    last record;
BEGIN
    SELECT a.outcome, a.at INTO last
    FROM ${schema}.own_attempt a
    WHERE a.position = $3 AND a.subscription = $1 AND a.outcome IN ('delivered', 'skipped')
    ORDER BY a.at DESC LIMIT 1;
    IF FOUND THEN
        taken := last.outcome = 'delivered';
        SELECT f.filter INTO filter FROM ${schema}.past_filter f
        WHERE f.subscription = $1 AND f.lane = $2 AND f.changed_at > last.at ORDER BY f.number, f.changed_at LIMIT 1;
    ELSE
        SELECT f.filter INTO filter FROM ${schema}.past_filter f
        WHERE f.subscription = $1 AND f.lane = $2
          AND ${schema}.handled($3, $4, f.reached, f.snapshot, f.floor, f.late_from, f.late_pinned)
        ORDER BY f.number, f.changed_at LIMIT 1;
    END IF;
    IF filter IS NULL THEN
        SELECT s.filter INTO filter FROM ${schema}.subscription s WHERE s.name = $1;
    END IF;
    taken := coalesce(taken, $5 ~ ${schema}.pattern(filter));
END
$$;

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
  AND NOT EXISTS (SELECT FROM ${schema}.own_attempt a
      WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome = 'discarded')
  AND CASE WHEN coalesce(${schema}.header(o.headers, 'onlyFor'), c.subscription) = c.subscription THEN 1 ELSE 0 END <> 0
  AND NOT EXISTS (SELECT FROM ${schema}.own_attempt a
      WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome = 'skipped'
        AND NOT EXISTS (SELECT FROM ${schema}.own_attempt b
            WHERE b.position = a.position AND b.subscription = a.subscription AND b.outcome = 'delivered' AND b.at > a.at));

-- Passed over under a past filter although the present one takes it, which is not looked for where no filter was ever changed;
-- and skipped by an attempt: by the destination, or as a waiting event that the filter of then did not take.
CREATE OR REPLACE VIEW ${schema}.event_skipped AS
SELECT c.subscription, o.position, o.id, o.type, o.key, o.tenant, ${schema}.header(o.headers, 'userId') AS user_id,
    o.headers, o.payload, o.appended_at, o.expires_at, o.lane, o.xid, j.filter
FROM ${schema}.outbox_log o JOIN ${schema}.cursors_and_filters() c ON c.lane = o.lane AND o.position <= c.changed_to
CROSS JOIN LATERAL ${schema}.judged(c.subscription, o.lane, o.position, o.xid, o.type) j
WHERE EXISTS (SELECT FROM ${schema}.past_filter)
  AND ${schema}.handled(o.position, o.xid, c.reached, c.snapshot, c.floor, c.late_from, c.late_pinned)
  AND o.type ~ c.pattern AND NOT j.taken
  AND coalesce(${schema}.header(o.headers, 'onlyFor'), c.subscription) = c.subscription
  AND ${schema}.handled(o.position, o.xid, c.began, c.began_snapshot, c.began_floor, NULL, NULL) IS NOT TRUE
  AND NOT EXISTS (SELECT FROM ${schema}.delivery d
      WHERE d.subscription = c.subscription AND d.lane = o.lane AND d.position = o.position)
  AND NOT EXISTS (SELECT FROM ${schema}.dead_events e
      WHERE e.subscription = c.subscription AND e.position = o.position AND e.status = 'pending')
  AND NOT EXISTS (SELECT FROM ${schema}.own_attempt a
      WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome IN ('discarded', 'skipped'))
UNION ALL
SELECT c.subscription, o.position, o.id, o.type, o.key, o.tenant, ${schema}.header(o.headers, 'userId') AS user_id,
    o.headers, o.payload, o.appended_at, o.expires_at, o.lane, o.xid,
    CASE WHEN NOT o.type ~ ${schema}.pattern(j.filter) THEN j.filter END
FROM ${schema}.own_attempt s JOIN ${schema}.outbox_log o ON o.position = s.position
JOIN ${schema}.cursors_and_filters() c ON c.subscription = s.subscription AND c.lane = o.lane
CROSS JOIN LATERAL ${schema}.judged(c.subscription, o.lane, o.position, o.xid, o.type) j
WHERE s.outcome = 'skipped'
  AND NOT EXISTS (SELECT FROM ${schema}.own_attempt b
      WHERE b.position = s.position AND b.subscription = s.subscription
        AND (b.outcome = 'delivered' OR b.outcome = 'skipped') AND (b.at, b.place) > (s.at, s.place))
  AND ${schema}.handled(o.position, o.xid, c.reached, c.snapshot, c.floor, c.late_from, c.late_pinned)
  AND NOT EXISTS (SELECT FROM ${schema}.delivery d
      WHERE d.subscription = c.subscription AND d.lane = o.lane AND d.position = o.position)
  AND NOT EXISTS (SELECT FROM ${schema}.dead_events e
      WHERE e.subscription = c.subscription AND e.position = o.position AND e.status = 'pending')
  AND NOT EXISTS (SELECT FROM ${schema}.own_attempt a
      WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome = 'discarded');
