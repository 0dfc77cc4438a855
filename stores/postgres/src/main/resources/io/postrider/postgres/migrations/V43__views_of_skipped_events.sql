-- The views tell what a destination skipped as skipped, and nothing of events that are for another subscription alone. This file
-- is immutable: what changes later is a migration of its own.
-- serves: 36

CREATE INDEX attempt_skipped ON ${schema}.attempt (position, subscription) WHERE outcome = 'skipped';

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
      WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome = 'discarded')
  AND CASE WHEN coalesce(${schema}.header(o.headers, 'onlyFor'), c.subscription) = c.subscription THEN 1 ELSE 0 END <> 0
  AND NOT EXISTS (SELECT FROM ${schema}.attempt a
      WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome = 'skipped'
        AND NOT EXISTS (SELECT FROM ${schema}.attempt b
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
  AND NOT EXISTS (SELECT FROM ${schema}.attempt a
      WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome IN ('discarded', 'skipped'))
UNION ALL
SELECT c.subscription, o.position, o.id, o.type, o.key, o.tenant, ${schema}.header(o.headers, 'userId') AS user_id,
    o.headers, o.payload, o.appended_at, o.expires_at, o.lane, o.xid,
    CASE WHEN NOT o.type ~ ${schema}.pattern(j.filter) THEN j.filter END
FROM ${schema}.attempt s JOIN ${schema}.outbox_log o ON o.position = s.position
JOIN ${schema}.cursors_and_filters() c ON c.subscription = s.subscription AND c.lane = o.lane
CROSS JOIN LATERAL ${schema}.judged(c.subscription, o.lane, o.position, o.xid, o.type) j
WHERE s.outcome = 'skipped'
  AND NOT EXISTS (SELECT FROM ${schema}.attempt b
      WHERE b.position = s.position AND b.subscription = s.subscription
        AND (b.outcome = 'delivered' OR b.outcome = 'skipped') AND (b.at, b.ctid) > (s.at, s.ctid))
  AND ${schema}.handled(o.position, o.xid, c.reached, c.snapshot, c.floor, c.late_from, c.late_pinned)
  AND NOT EXISTS (SELECT FROM ${schema}.delivery d
      WHERE d.subscription = c.subscription AND d.lane = o.lane AND d.position = o.position)
  AND NOT EXISTS (SELECT FROM ${schema}.dead_events e
      WHERE e.subscription = c.subscription AND e.position = o.position AND e.status = 'pending')
  AND NOT EXISTS (SELECT FROM ${schema}.attempt a
      WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome = 'discarded');
COMMENT ON VIEW ${schema}.event_skipped IS
    'A row for each event and subscription that skipped it: its filter takes the event now, and did not when the event''s lane '
    'passed it; or the event waited and was skipped after its filter had changed (filter is the one of then in both cases); or '
    'its destination skipped the event (filter is NULL).';

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
  AND coalesce(${schema}.header((p.o).headers, 'onlyFor'), p.subscription) = p.subscription
UNION ALL
SELECT c.subscription, o.position, o.id, o.type, o.key, o.tenant, ${schema}.header(o.headers, 'userId'),
    o.headers, o.payload, 'pending', 0, coalesce(o.deliver_at, o.appended_at), o.appended_at, o.expires_at, NULL,
    o.lane, o.xid
FROM ${schema}.cursors() c CROSS JOIN LATERAL ${schema}.late_events(
    c.lane, c.reached, c.snapshot, c.bound, c.floor, c.late_from, c.late_pinned) o
WHERE c.floor < c.reached AND o.type ~ c.pattern
  AND coalesce(${schema}.header(o.headers, 'onlyFor'), c.subscription) = c.subscription
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
    e.appended_at, e.expires_at, coalesce('skipped under the filter ''' || e.filter || '''', 'skipped by its destination'), e.lane, e.xid
FROM ${schema}.event_skipped e;
COMMENT ON VIEW ${schema}.event_standing IS
    'Where every event stands, a row for each event in each subscription whose filter takes it, or took it when its lane '
    'passed it: delivered, pending (in the log, not yet come to), waiting (parked until due_at), running, dead, expired, '
    'skipped (by another filter of then, or by its destination). Discarded events have no row, and events that are for another '
    'subscription alone (header onlyFor) have none.';
COMMENT ON VIEW ${schema}.event_outbox IS
    'A row for each event in each subscription whose filter takes it. status: pending, published, failed (dead or expired), '
    'skipped (by another filter of then, or by its destination: last_error says which). '
    'aggregate_id is the key, aggregate_type the header aggregateType or what precedes the first dot of the type, '
    'project_id the tenant, user_id the header userId. Ask with a status and a LIMIT: rows of one status come newest first.';
COMMENT ON VIEW ${schema}.outbox_events IS
    'A row for each event in each subscription whose filter takes it. topic is the type, stream the header stream or what '
    'precedes the first dot of the type; not processed and with an error: it failed, or was skipped. Ask with a LIMIT: what is '
    'processed comes newest first.';
