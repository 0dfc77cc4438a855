-- Operations about events that are settled and have no delivery row; records that do not grow for good. This file is immutable:
-- what changes later is a migration of its own.

-- ---- operations about settled events ------------------------------------------------------------------------------------

-- Which positions an operation is about, both included.
ALTER TABLE ${schema}.operation ADD COLUMN from_position bigint, ADD COLUMN to_position bigint;

-- How far an operation about settled events is in each lane, and where the lane itself was when the operation started: only
-- what had been settled then is meant.
CREATE TABLE ${schema}.operation_lane (
    operation      bigint      NOT NULL REFERENCES ${schema}.operation ON DELETE CASCADE,
    lane           smallint    NOT NULL,
    -- Everything at or below it has been looked at; nothing above up_to is meant.
    reached        bigint      NOT NULL,
    up_to          bigint      NOT NULL,
    at_reached     bigint      NOT NULL,
    at_snapshot    pg_snapshot NOT NULL,
    at_floor       bigint      NOT NULL,
    at_late_from   bigint,
    at_late_pinned pg_snapshot,
    began          bigint,
    began_snapshot pg_snapshot,
    began_floor    bigint,
    PRIMARY KEY (operation, lane)
) WITH (fillfactor = 50);

-- The first position of a lane whose event was appended at this time or later; the one behind the last if there is none. Times
-- grow with positions but for neighbours, so that it is found by halving, and only nearly.
CREATE FUNCTION ${schema}.position_at(lane smallint, at timestamptz) RETURNS bigint
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one   record;
    low   bigint;
    top   bigint;
    guess bigint;
    found bigint;
BEGIN
    SELECT o.position, o.appended_at INTO one FROM ${schema}.outbox_log o WHERE o.lane = $1 ORDER BY o.position LIMIT 1;
    IF one.position IS NULL OR one.appended_at >= $2 THEN
        RETURN coalesce(one.position, 1);
    END IF;
    low := one.position;
    SELECT o.position, o.appended_at INTO one FROM ${schema}.outbox_log o WHERE o.lane = $1 ORDER BY o.position DESC LIMIT 1;
    IF one.appended_at < $2 THEN
        RETURN one.position + 1;
    END IF;
    top := one.position;
    found := one.position;
    -- The event at low is too old; the one at found is not, and there is none between top and found.
    WHILE low + 1 < top LOOP
        guess := (low + top) / 2;
        SELECT o.position, o.appended_at INTO one FROM ${schema}.outbox_log o
        WHERE o.lane = $1 AND o.position >= guess AND o.position < top ORDER BY o.position LIMIT 1;
        IF one.position IS NULL THEN
            top := guess;
        ELSIF one.appended_at < $2 THEN
            low := one.position;
        ELSE
            found := one.position;
            top := guess;
        END IF;
    END LOOP;
    RETURN found;
END
$$;
REVOKE ALL ON FUNCTION ${schema}.position_at(smallint, timestamptz) FROM PUBLIC;

-- ---- records --------------------------------------------------------------------------------------------------------------

-- What an operation noted of each event goes with the operation.
CREATE INDEX decided_operation ON ${schema}.decided (operation);
-- Attempts of subscriptions that were removed are nobody's story.
DELETE FROM ${schema}.attempt a WHERE NOT EXISTS (SELECT FROM ${schema}.subscription s WHERE s.name = a.subscription);
