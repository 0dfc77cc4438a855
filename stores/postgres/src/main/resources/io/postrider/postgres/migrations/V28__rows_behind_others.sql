-- Delivery rows that wait behind others of their keys. This file is immutable: what changes later is a migration of its own.

-- behind: an earlier row of the key comes first. Such a row is found through its key and not by its time. A hint that
-- nothing rests on; see PostgresPark.
ALTER TABLE ${schema}.delivery ADD COLUMN behind boolean NOT NULL DEFAULT false;

-- Rows that block their keys. Tasks that run have leases, and no order.
CREATE INDEX delivery_blocks ON ${schema}.delivery (subscription, lane, key, position)
    WHERE key IS NOT NULL AND status IN ('retrying', 'running') AND lease_until IS NULL;

UPDATE ${schema}.delivery d SET behind = true
WHERE d.status = 'retrying' AND d.key IS NOT NULL AND EXISTS (
    SELECT FROM ${schema}.delivery f
    WHERE f.subscription = d.subscription AND f.lane = d.lane AND f.key = d.key AND f.position < d.position
      AND f.status IN ('retrying', 'running') AND f.lease_until IS NULL);

-- Rows in the order in which they are due: those never tried, and those that failed.
CREATE INDEX delivery_front ON ${schema}.delivery (subscription, lane, least(attempt, 1), due_at, position)
    WHERE status = 'retrying' AND NOT behind;
-- Rows that wait behind others, by their keys.
CREATE INDEX delivery_behind ON ${schema}.delivery (subscription, lane, key) WHERE behind;
-- Rows that a lane's owner runs.
CREATE INDEX delivery_running ON ${schema}.delivery (subscription, lane) WHERE status = 'running' AND lease_until IS NULL;

-- Dead rows that may block their keys, lane by lane.
CREATE INDEX delivery_dead ON ${schema}.delivery (subscription, lane, position) WHERE status = 'dead' AND NOT released;

-- Delivery rows wherever they are kept.
CREATE OR REPLACE VIEW ${schema}.delivery_row AS
SELECT subscription, lane, position, id, type, key, status, attempt, due_at, suspect, error, expires_at, priority,
    payload, headers, tenant, appended_at, changed_at, owner, lease_until, behind
FROM ${schema}.delivery
UNION ALL
SELECT subscription, lane, position, id, type, key, 'dead', attempts, died_at, false, error, expires_at, priority,
    payload, headers, tenant, appended_at, died_at, NULL, NULL, false
FROM ${schema}.dead_events WHERE status = 'pending';
