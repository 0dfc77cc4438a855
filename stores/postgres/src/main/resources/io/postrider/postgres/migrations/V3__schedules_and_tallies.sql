-- Times and priorities of events; counts beside the lanes' own. This file is immutable: what changes later is a migration
-- of its own.

-- ---- schedules --------------------------------------------------------------------------------------------------------

ALTER TABLE ${schema}.outbox_log ADD COLUMN deliver_at timestamptz, ADD COLUMN expires_at timestamptz, ADD COLUMN priority smallint;

CREATE OR REPLACE VIEW ${schema}.outbox AS
    SELECT type, key, payload, headers, tenant, id, position, xid, lane, bytes, appended_at, deliver_at, expires_at, priority
    FROM ${schema}.outbox_log;

CREATE OR REPLACE FUNCTION ${schema}.outbox_append() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
BEGIN
    IF NEW.position IS NOT NULL OR NEW.xid IS NOT NULL OR NEW.lane IS NOT NULL THEN
        RAISE check_violation USING MESSAGE = 'an event''s position, xid and lane are assigned by the log';
    END IF;
    IF coalesce(length(trim(NEW.type)), 0) = 0 OR length(NEW.type) > 255 THEN
        RAISE check_violation USING
            MESSAGE = 'an event''s type has 1 to 255 characters, got ' || coalesce(length(NEW.type)::text, 'none');
    END IF;
    IF length(NEW.key) NOT BETWEEN 1 AND 255 THEN
        RAISE check_violation USING MESSAGE = 'an event''s key has 1 to 255 characters, got ' || length(NEW.key);
    END IF;
    IF json_typeof(NEW.headers) <> 'object' THEN
        RAISE check_violation USING MESSAGE = 'an event''s headers are a JSON object, got ' || json_typeof(NEW.headers);
    END IF;
    IF NEW.expires_at <= NEW.deliver_at THEN
        RAISE check_violation USING
            MESSAGE = 'an event expires after it may be delivered, got ' || NEW.deliver_at || ' to ' || NEW.expires_at;
    END IF;
    IF NEW.priority NOT BETWEEN -100 AND 100 THEN
        RAISE check_violation USING MESSAGE = 'a priority is from -100 to 100, got ' || NEW.priority;
    END IF;
    NEW.bytes := octet_length(NEW.payload::text);
    IF NEW.bytes > 1048576 THEN
        RAISE check_violation USING MESSAGE = 'an event''s payload has at most 1048576 bytes, got ' || NEW.bytes;
    END IF;
    NEW.lane := ${schema}.lane_of(NEW.key, NEW.id);
    INSERT INTO ${schema}.outbox_log (id, type, key, payload, headers, tenant, lane, bytes, deliver_at, expires_at, priority)
    VALUES (NEW.id, NEW.type, NEW.key, NEW.payload, NEW.headers, NEW.tenant, NEW.lane, NEW.bytes,
        NEW.deliver_at, NEW.expires_at, NEW.priority)
    RETURNING position, xid, appended_at INTO NEW.position, NEW.xid, NEW.appended_at;
    RETURN NEW;
END
$$;

-- Another list of parameters would be another function beside it.
DROP FUNCTION ${schema}.append(text, json, text, json, text, uuid);
CREATE FUNCTION ${schema}.append(
    type       text,
    payload    json,
    key        text DEFAULT NULL,
    headers    json DEFAULT '{}',
    tenant     text DEFAULT NULL,
    id         uuid DEFAULT NULL,
    deliver_at timestamptz DEFAULT NULL,
    expires_at timestamptz DEFAULT NULL,
    priority   integer DEFAULT NULL
) RETURNS uuid
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog
AS $$
    INSERT INTO ${schema}.outbox (id, type, key, payload, headers, tenant, deliver_at, expires_at, priority)
    VALUES (coalesce(append.id, ${schema}.draw_id()), append.type, append.key, append.payload, append.headers, append.tenant,
        append.deliver_at, append.expires_at, append.priority)
    RETURNING outbox.id
$$;

-- ---- tallies ----------------------------------------------------------------------------------------------------------

-- What was decided outside of the lanes, as changes to their counts: the ledger is the newest settlement of each lane
-- plus these. Rows are only inserted; prune adds up what has gathered.
CREATE TABLE ${schema}.tally (
    subscription text        NOT NULL REFERENCES ${schema}.subscription ON DELETE CASCADE,
    delivered    bigint      NOT NULL DEFAULT 0,
    skipped      bigint      NOT NULL DEFAULT 0,
    parked       bigint      NOT NULL DEFAULT 0,
    dead         bigint      NOT NULL DEFAULT 0,
    expired      bigint      NOT NULL DEFAULT 0,
    discarded    bigint      NOT NULL DEFAULT 0,
    told_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX tally_subscription ON ${schema}.tally (subscription);

-- ---- deliveries -------------------------------------------------------------------------------------------------------

ALTER TABLE ${schema}.delivery ADD COLUMN expires_at timestamptz, ADD COLUMN priority smallint;

-- What an operator had replayed or discarded and no owner had counted yet is counted here.
INSERT INTO ${schema}.tally (subscription, parked, dead)
SELECT l.subscription, sum(d.waiting - s.parked), -sum(d.waiting - s.parked)
FROM ${schema}.lane l
CROSS JOIN LATERAL (
    SELECT parked FROM ${schema}.settlement s WHERE s.subscription = l.subscription AND s.lane = l.lane
    ORDER BY s.number DESC LIMIT 1
) s
CROSS JOIN LATERAL (
    SELECT count(*) AS waiting FROM ${schema}.delivery d
    WHERE d.subscription = l.subscription AND d.lane = l.lane AND d.status IN ('retrying', 'running')
) d
GROUP BY l.subscription
HAVING sum(d.waiting - s.parked) <> 0;

INSERT INTO ${schema}.tally (subscription, dead, discarded)
SELECT subscription, -count(*), count(*) FROM ${schema}.delivery WHERE status = 'discarded' GROUP BY subscription;
DELETE FROM ${schema}.delivery WHERE status = 'discarded';

ALTER TABLE ${schema}.delivery DROP CONSTRAINT delivery_status_check;
ALTER TABLE ${schema}.delivery ADD CONSTRAINT delivery_status_check
    CHECK (status IN ('retrying', 'running', 'dead', 'expired'));

-- Pages by status, and one row by its position, however many are dead.
CREATE INDEX delivery_status ON ${schema}.delivery (subscription, status, position);
