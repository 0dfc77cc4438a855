-- Functions that look at many segments of the log and keep the locks of none. This file is immutable: what changes later is a
-- migration of its own.
-- serves: 36

-- A statement keeps the locks it takes until its transaction ends: some ten for a segment with its search indexes. A block that
-- is left by an error gives its locks back at once, and the rows and variables of the function stay. So each segment is looked
-- at in a block of its own, which ends with the error PR002. Values are returned whole, by a cast or as parts of a row: one
-- that pointed to the segment's TOAST table could not be read once the segment is emptied. A block that writes nothing needs no
-- transaction id.

-- The events of delivery rows, while the log has them: a statement for each segment that has some.
CREATE OR REPLACE FUNCTION ${schema}.events_at(lanes smallint[], positions bigint[]) RETURNS SETOF ${schema}.outbox_log
    LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    part record;
BEGIN
    FOR part IN
        SELECT coalesce(s.first, min(w.position)) AS first, coalesce(s.next, max(w.position) + 1) AS next,
            array_agg(w.lane) AS lanes, array_agg(w.position) AS positions
        FROM unnest(lanes, positions) AS w (lane, position)
        LEFT JOIN LATERAL (
            SELECT k.first, k.next FROM ${schema}.segment k
            WHERE k.log = 'outbox_log' AND k.first <= w.position ORDER BY k.first DESC LIMIT 1
        ) s ON w.position < s.next
        GROUP BY s.first, s.next
    LOOP
        BEGIN
            RETURN QUERY EXECUTE format('SELECT (o.e).* FROM unnest($1, $2) AS w (lane, position) CROSS JOIN LATERAL (
                    SELECT e FROM ${schema}.outbox_log e WHERE e.lane = w.lane AND e.position = w.position
                      AND e.position >= %s AND e.position < %s
                    OFFSET 0
                ) o', part.first, part.next)
            USING part.lanes, part.positions;
            RAISE SQLSTATE 'PR002';
        EXCEPTION WHEN SQLSTATE 'PR002' THEN
            NULL;
        END;
    END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.event_at(lane smallint, "position" bigint) RETURNS SETOF ${schema}.outbox_log
    LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF $2 IS NULL THEN
        RETURN;
    END IF;
    BEGIN
        RETURN QUERY EXECUTE format('SELECT (o.e).* FROM (
                SELECT e FROM ${schema}.outbox_log e WHERE e.lane = $1 AND e.position = %s OFFSET 0
            ) o', $2)
        USING $1;
        RAISE SQLSTATE 'PR002';
    EXCEPTION WHEN SQLSTATE 'PR002' THEN
        NULL;
    END;
END
$$;

-- What events_between tells, for counts and samples: nothing hangs on these segments when the statement commits.
CREATE FUNCTION ${schema}.events_unlocked(lane smallint, after bigint, up_to bigint)
    RETURNS TABLE (lane_number smallint, "position" bigint, xid xid8, id uuid, type text, key text, headers json,
        tenant text, appended_at timestamptz, deliver_at timestamptz, priority smallint)
    LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    low  bigint := greatest($2 + 1, (SELECT min(s.first) FROM ${schema}.segment s
        WHERE s.log = 'outbox_log' AND NOT s.emptied));
    top  bigint;
BEGIN
    WHILE low <= $3 LOOP
        top := least(${schema}.segment_end(low), $3 + 1);
        BEGIN
            RETURN QUERY EXECUTE format('SELECT o.lane, o.position, o.xid, o.id, o.type || '''', o.key || '''',
                    o.headers::text::json, o.tenant || '''', o.appended_at, o.deliver_at, o.priority
                FROM ${schema}.outbox_log o
                WHERE o.lane = $1 AND o.position >= %s AND o.position < %s ORDER BY o.position', low, top)
            USING $1;
            RAISE SQLSTATE 'PR002';
        EXCEPTION WHEN SQLSTATE 'PR002' THEN
            NULL;
        END;
        low := top;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION ${schema}.events_unlocked(smallint, bigint, bigint) FROM PUBLIC;

-- The last position of so many segments, from the one with this position on; the last of all if there are fewer.
CREATE FUNCTION ${schema}.segments_up_to("position" bigint, most integer) RETURNS bigint
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN coalesce((SELECT s.next - 1 FROM ${schema}.segment s
        WHERE s.log = 'outbox_log' AND NOT s.emptied AND s.first >= coalesce(
            (SELECT max(k.first) FROM ${schema}.segment k WHERE k.log = 'outbox_log' AND k.first <= $1), 0)
        ORDER BY s.first OFFSET $2 - 1 LIMIT 1), 9223372036854775806);
END
$$;
REVOKE ALL ON FUNCTION ${schema}.segments_up_to(bigint, integer) FROM PUBLIC;

-- ---- times --------------------------------------------------------------------------------------------------------------

-- The first event of some lanes from a position up to another, exclusive, or the last. For a range within one segment.
CREATE FUNCTION ${schema}.outermost(lanes smallint[], low bigint, top bigint, last boolean,
    OUT "position" bigint, OUT appended_at timestamptz)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    direction text := CASE WHEN $4 THEN 'DESC' ELSE 'ASC' END;
BEGIN
    EXECUTE format('SELECT o.position, o.appended_at FROM unnest($1) AS l (lane) CROSS JOIN LATERAL (
            SELECT e.position, e.appended_at FROM ${schema}.outbox_log e
            WHERE e.lane = l.lane AND e.position >= %1$s AND e.position < %2$s ORDER BY e.position %3$s LIMIT 1
        ) o ORDER BY o.position %3$s LIMIT 1', $2, $3, direction)
    INTO $5, $6 USING $1;
    RAISE SQLSTATE 'PR002';
EXCEPTION WHEN SQLSTATE 'PR002' THEN
    NULL;
END
$$;
REVOKE ALL ON FUNCTION ${schema}.outermost(smallint[], bigint, bigint, boolean) FROM PUBLIC;

-- Of these segments, which follow each other and the last of which ends with a position, the last one that begins before a
-- time; the first if none does. By halving, with the events of all lanes: nearly every segment has some.
CREATE FUNCTION ${schema}.segment_at(firsts bigint[], ending bigint, at timestamptz) RETURNS integer
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    lanes  smallint[] := ARRAY(SELECT n::smallint FROM generate_series(0, 15) AS n);
    low    integer := 1;
    top    integer := cardinality($1) + 1;
    middle integer;
    one    record;
BEGIN
    -- Segment low begins before the time, and segment top does not.
    WHILE low + 1 < top LOOP
        middle := (low + top) / 2;
        FOR looked IN middle..top - 1 LOOP
            SELECT * INTO one FROM ${schema}.outermost(lanes, ($1)[looked], coalesce(($1)[looked + 1], $2), false);
            IF one.position IS NOT NULL THEN
                middle := CASE WHEN one.appended_at < $3 THEN looked ELSE middle END;
                EXIT;
            END IF;
        END LOOP;
        IF one.appended_at < $3 THEN
            low := middle;
        ELSE
            top := middle;
        END IF;
    END LOOP;
    RETURN low;
END
$$;
REVOKE ALL ON FUNCTION ${schema}.segment_at(bigint[], bigint, timestamptz) FROM PUBLIC;

-- Where the events of a lane begin that are not older than a time, as far as times go by positions: first the segment, then
-- the position in it. Replaced and not made anew: older code calls it.
CREATE OR REPLACE FUNCTION ${schema}.position_at(lane smallint, at timestamptz) RETURNS bigint
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ending  bigint := coalesce(pg_sequence_last_value('${schema}.outbox_position'), 0) + 1;
    firsts  bigint[] := ARRAY(SELECT s.first FROM ${schema}.segment s
        WHERE s.log = 'outbox_log' AND NOT s.emptied AND s.first < ending ORDER BY s.first);
    segment integer := ${schema}.segment_at(firsts, ending, $2);
    one     record;
    low     bigint := coalesce(firsts[segment], 1);
    top     bigint := coalesce(firsts[segment + 1], ending);
    guess   bigint;
    found   bigint := top;
BEGIN
    SELECT * INTO one FROM ${schema}.outermost(ARRAY[$1], low, top, false);
    IF one.position IS NULL OR one.appended_at >= $2 THEN
        RETURN coalesce(one.position, low);
    END IF;
    low := one.position;
    SELECT * INTO one FROM ${schema}.outermost(ARRAY[$1], low, top, true);
    IF one.appended_at < $2 THEN
        RETURN found;
    END IF;
    top := one.position;
    found := one.position;
    -- The event at low is too old; the one at found is not, and there is none between top and found.
    WHILE low + 1 < top LOOP
        guess := (low + top) / 2;
        SELECT * INTO one FROM ${schema}.outermost(ARRAY[$1], guess, top, false);
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

DROP FUNCTION ${schema}.first_event(smallint, bigint, bigint);
DROP FUNCTION ${schema}.last_event(smallint);
