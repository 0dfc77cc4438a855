-- What is known of the segments beside the catalogue, and functions that lock only the segments they need. This file is
-- immutable: what changes later is a migration of its own.

-- ---- segments -----------------------------------------------------------------------------------------------------------

-- A row for each segment of a log or of the settlements, for positions from first up to next, exclusive. The catalogue says
-- which there are; this says what a node may do with them. Lists of transactions are virtual ids as in pg_locks: NULL until
-- they have been looked for, empty once all of them have ended.
CREATE TABLE ${schema}.segment (
    log      text    NOT NULL,
    first    bigint  NOT NULL,
    next     bigint  NOT NULL,
    -- Transactions that may not know of the segment: until they end, no position of it is drawn.
    unaware  text[],
    -- Transactions that may still write to it although later positions are drawn: until they end, it is not emptied.
    writers  text[],
    -- Its events are gone, and the table is left to be dropped.
    emptied  boolean NOT NULL DEFAULT false,
    -- No longer a part of its table: settlements of the past.
    detached boolean NOT NULL DEFAULT false,
    PRIMARY KEY (log, first)
);

CREATE INDEX gap_before ON ${schema}.gap (log, before);

-- A log that has no event yet begins with a segment that nobody can reach the end of: see Segments.
DO $$
DECLARE
    target text;
BEGIN
    FOREACH target IN ARRAY ARRAY['outbox_log', 'settlement'] LOOP
        IF NOT EXISTS (SELECT FROM pg_sequences WHERE schemaname = '${schema}' AND last_value IS NOT NULL
                AND sequencename = CASE target WHEN 'settlement' THEN 'settlement_position' ELSE 'outbox_position' END) THEN
            EXECUTE format('DROP TABLE ${schema}.%s_1', target);
            EXECUTE format('CREATE TABLE ${schema}.%1$s_1 PARTITION OF ${schema}.%1$s FOR VALUES FROM (1) TO (%2$s)',
                target, 68719476736);
        END IF;
    END LOOP;
END
$$;

INSERT INTO ${schema}.segment (log, first, next)
SELECT p.relname, (b.bounds)[1]::bigint, (b.bounds)[2]::bigint
FROM pg_inherits i
JOIN pg_class c ON c.oid = i.inhrelid
JOIN pg_class p ON p.oid = i.inhparent
CROSS JOIN LATERAL regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \(''(\d+)''\) TO \(''(\d+)''\)') AS b (bounds)
WHERE i.inhparent IN ('${schema}.outbox_log'::regclass, '${schema}.settlement'::regclass) AND b.bounds IS NOT NULL;

-- ---- events by position -------------------------------------------------------------------------------------------------

-- Positions are written into the text of the statements: then PostgreSQL leaves out, and does not lock, other segments when it
-- plans. A plan for any positions would lock them all.

-- The events of delivery rows, while the log has them: a statement for each segment that has some.
CREATE FUNCTION ${schema}.events_at(lanes smallint[], positions bigint[]) RETURNS SETOF ${schema}.outbox_log
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
        RETURN QUERY EXECUTE format('SELECT o.* FROM unnest($1, $2) AS w (lane, position) CROSS JOIN LATERAL (
                SELECT * FROM ${schema}.outbox_log e WHERE e.lane = w.lane AND e.position = w.position
                  AND e.position >= %s AND e.position < %s
                OFFSET 0
            ) o', part.first, part.next)
        USING part.lanes, part.positions;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION ${schema}.events_at(smallint[], bigint[]) FROM PUBLIC;

CREATE OR REPLACE FUNCTION ${schema}.event_at(lane smallint, "position" bigint) RETURNS SETOF ${schema}.outbox_log
    LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF $2 IS NOT NULL THEN
        RETURN QUERY EXECUTE format('SELECT o.* FROM ${schema}.outbox_log o WHERE o.lane = $1 AND o.position = %s', $2)
        USING $1;
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.payload_at(lane smallint, "position" bigint) RETURNS json
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (SELECT o.payload FROM ${schema}.event_at($1, $2) o);
END
$$;

-- The first events of a lane after a position, from a limited number of segments.
CREATE FUNCTION ${schema}.events_after(lane smallint, after bigint, most integer)
    RETURNS TABLE ("position" bigint, appended_at timestamptz, expires_at timestamptz)
    LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    head  bigint := coalesce(pg_sequence_last_value('${schema}.outbox_position'), 0);
    low   bigint := greatest($2 + 1, (SELECT min(s.first) FROM ${schema}.segment s
        WHERE s.log = 'outbox_log' AND NOT s.emptied));
    top   bigint;
    told  integer := 0;
    more  integer;
BEGIN
    FOR looked IN 1..16 LOOP
        EXIT WHEN low > head OR told >= $3;
        SELECT s.next INTO top FROM ${schema}.segment s
        WHERE s.log = 'outbox_log' AND s.first <= low ORDER BY s.first DESC LIMIT 1;
        IF top IS NULL OR top <= low THEN
            SELECT coalesce(min(s.first), 9223372036854775807) INTO top FROM ${schema}.segment s
            WHERE s.log = 'outbox_log' AND s.first > low;
        END IF;
        RETURN QUERY EXECUTE format('SELECT o.position, o.appended_at, o.expires_at FROM ${schema}.outbox_log o
            WHERE o.lane = $1 AND o.position >= %s AND o.position < %s ORDER BY o.position LIMIT $2', low, top)
        USING $1, $3 - told;
        GET DIAGNOSTICS more = ROW_COUNT;
        told := told + more;
        low := top;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION ${schema}.events_after(smallint, bigint, integer) FROM PUBLIC;

-- Where the segment with this position ends, exclusive, or the gap between two of them or behind the last: those of databases
-- whose segments were narrow have events in the default partition.
CREATE FUNCTION ${schema}.segment_end("position" bigint) RETURNS bigint
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ending bigint := (SELECT s.next FROM ${schema}.segment s
        WHERE s.log = 'outbox_log' AND s.first <= $1 ORDER BY s.first DESC LIMIT 1);
BEGIN
    IF ending > $1 THEN
        RETURN ending;
    END IF;
    RETURN coalesce((SELECT min(s.first) FROM ${schema}.segment s WHERE s.log = 'outbox_log' AND s.first > $1),
        9223372036854775807);
END
$$;
REVOKE ALL ON FUNCTION ${schema}.segment_end(bigint) FROM PUBLIC;

-- The events of a lane after a position and up to another, by position, segment by segment: at most so many, or all if most is
-- NULL. Without payloads, which no operation about settled events asks for.
CREATE FUNCTION ${schema}.events_between(lane smallint, after bigint, up_to bigint, most bigint)
    RETURNS TABLE (lane_number smallint, "position" bigint, xid xid8, id uuid, type text, key text, headers json,
        tenant text, appended_at timestamptz, deliver_at timestamptz, priority smallint)
    LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    low  bigint := greatest($2 + 1, (SELECT min(s.first) FROM ${schema}.segment s
        WHERE s.log = 'outbox_log' AND NOT s.emptied));
    top  bigint;
    told bigint := 0;
    more bigint;
BEGIN
    WHILE low <= $3 LOOP
        top := least(${schema}.segment_end(low), $3 + 1);
        RETURN QUERY EXECUTE format('SELECT o.lane, o.position, o.xid, o.id, o.type, o.key, o.headers, o.tenant,
                o.appended_at, o.deliver_at, o.priority
            FROM ${schema}.outbox_log o
            WHERE o.lane = $1 AND o.position >= %s AND o.position < %s ORDER BY o.position LIMIT $2', low, top)
        USING $1, $4 - told;
        GET DIAGNOSTICS more = ROW_COUNT;
        told := told + more;
        EXIT WHEN told >= $4;
        low := top;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION ${schema}.events_between(smallint, bigint, bigint, bigint) FROM PUBLIC;

-- The first event of a lane from a position up to another, exclusive; and the last of all.
CREATE FUNCTION ${schema}.first_event(lane smallint, low bigint, top bigint, OUT "position" bigint, OUT appended_at timestamptz)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    at     bigint := greatest($2, (SELECT min(s.first) FROM ${schema}.segment s
        WHERE s.log = 'outbox_log' AND NOT s.emptied));
    ending bigint;
BEGIN
    WHILE at < $3 AND $4 IS NULL LOOP
        ending := least(${schema}.segment_end(at), $3);
        EXECUTE format('SELECT o.position, o.appended_at FROM ${schema}.outbox_log o
            WHERE o.lane = $1 AND o.position >= %s AND o.position < %s ORDER BY o.position LIMIT 1', at, ending)
        INTO $4, $5 USING $1;
        at := ending;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION ${schema}.first_event(smallint, bigint, bigint) FROM PUBLIC;

CREATE FUNCTION ${schema}.last_event(lane smallint, OUT "position" bigint, OUT appended_at timestamptz)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one    record;
    ending bigint := coalesce(pg_sequence_last_value('${schema}.outbox_position'), 0) + 1;
BEGIN
    -- With the gap behind it, if there is one.
    FOR one IN SELECT s.first FROM ${schema}.segment s
        WHERE s.log = 'outbox_log' AND NOT s.emptied AND s.first < ending ORDER BY s.first DESC
    LOOP
        EXECUTE format('SELECT o.position, o.appended_at FROM ${schema}.outbox_log o
            WHERE o.lane = $1 AND o.position >= %s AND o.position < %s ORDER BY o.position DESC LIMIT 1', one.first, ending)
        INTO $2, $3 USING $1;
        EXIT WHEN $2 IS NOT NULL;
        ending := one.first;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION ${schema}.last_event(smallint) FROM PUBLIC;

-- As before, but for the segments that it names.
CREATE OR REPLACE FUNCTION ${schema}.position_at(lane smallint, at timestamptz) RETURNS bigint
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one   record;
    low   bigint;
    top   bigint;
    guess bigint;
    found bigint;
BEGIN
    SELECT * INTO one FROM ${schema}.first_event($1, 1, 9223372036854775807);
    IF one.position IS NULL OR one.appended_at >= $2 THEN
        RETURN coalesce(one.position, 1);
    END IF;
    low := one.position;
    SELECT * INTO one FROM ${schema}.last_event($1);
    IF one.appended_at < $2 THEN
        RETURN one.position + 1;
    END IF;
    top := one.position;
    found := one.position;
    -- The event at low is too old; the one at found is not, and there is none between top and found.
    WHILE low + 1 < top LOOP
        guess := (low + top) / 2;
        SELECT * INTO one FROM ${schema}.first_event($1, guess, top);
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

-- ---- settlements of the past ---------------------------------------------------------------------------------------------

-- When an event was settled: by the first settlement of its lane that had come past it. One segment does not tell that alone,
-- so there are these answers:
--   not yet  no settlement of the lane in there had come past it
--   found    by one in there, and the one before had not; without a time if the subscription began behind the event
--   before   the first one in there already had: that was it if the one before, in an earlier segment, had not
--   pruned   the segment is gone, and earlier ones are too

-- From a segment of the past. With the rights of the owner: a table that is detached is no longer read by the rights of the
-- one it was a part of, and those who may read have none of their own on segments that were made later. Only segments that
-- are listed are looked at.
CREATE FUNCTION ${schema}.settled_in(first bigint, subscription text, lane smallint, "position" bigint, xid xid8,
    since timestamptz, OUT answer text, OUT settled timestamptz)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    past   text := (SELECT 'settlement_' || g.first FROM ${schema}.segment g
        WHERE g.log = 'settlement' AND g.detached AND g.first = $1);
    query  text;
    one    record;
    low    bigint;
    top    bigint;
    middle bigint;
BEGIN
    answer := 'pruned';
    IF past IS NULL THEN
        RETURN;
    END IF;
    query := format('SELECT s.number, s.settled_at,
            ${schema}.handled($3, $4, s.reached, s.snapshot, s.floor, s.late_from, s.late_pinned) AS handled
        FROM ${schema}.%I s WHERE s.subscription = $1 AND s.lane = $2 AND s.settled_at >= $6 AND s.number >= $5
        ORDER BY s.number', past);
    BEGIN
        EXECUTE query || ' DESC LIMIT 1' INTO one USING $2, $3, $4, $5, 0::bigint, $6;
    EXCEPTION WHEN undefined_table THEN
        RETURN;
    END;
    answer := CASE WHEN one.handled THEN 'found' WHEN one.number IS NULL THEN 'before' ELSE 'not yet' END;
    IF answer <> 'found' THEN
        RETURN;
    END IF;
    settled := one.settled_at;
    top := one.number;
    EXECUTE query || ' LIMIT 1' INTO one USING $2, $3, $4, $5, 0::bigint, $6;
    IF one.handled THEN
        answer := CASE one.number WHEN 0 THEN 'found' ELSE 'before' END;
        settled := CASE WHEN one.number > 0 THEN one.settled_at END;
        RETURN;
    END IF;
    low := one.number;
    -- Not at low or below; settled is that of the first at top or above.
    WHILE low + 1 < top LOOP
        middle := (low + top) / 2;
        EXECUTE query || ' LIMIT 1' INTO one USING $2, $3, $4, $5, middle, $6;
        IF one.handled THEN
            settled := one.settled_at;
            top := middle;
        ELSE
            low := one.number;
        END IF;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION ${schema}.settled_in(bigint, text, smallint, bigint, xid8, timestamptz) FROM PUBLIC;

-- By the last attempt, or from the segments that are not of the past, taken as one. Each settlement goes further than the one
-- before, so it is looked for where it should be if all went equally far, and after some such steps by halving.
CREATE FUNCTION ${schema}.settled_lately(subscription text, lane smallint, "position" bigint, xid xid8,
    OUT answer text, OUT settled timestamptz)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one         record;
    low         bigint;
    low_reached bigint;
    top         bigint;
    top_reached bigint;
    guess       bigint;
    steps       integer := 0;
BEGIN
    answer := 'found';
    SELECT max(a.at) INTO settled FROM ${schema}.attempt a
    WHERE a.position = $3 AND a.subscription = $1 AND a.outcome IN ('delivered', 'skipped');
    IF settled IS NOT NULL THEN
        RETURN;
    END IF;
    SELECT s.number, s.reached, s.settled_at,
        ${schema}.handled($3, $4, s.reached, s.snapshot, s.floor, s.late_from, s.late_pinned) AS handled
    INTO one FROM ${schema}.settlement s WHERE s.subscription = $1 AND s.lane = $2 ORDER BY s.number DESC LIMIT 1;
    IF one.handled IS NOT TRUE THEN
        answer := 'not yet';
        RETURN;
    END IF;
    settled := one.settled_at;
    top := one.number;
    top_reached := one.reached;
    SELECT s.number, s.reached, s.settled_at,
        ${schema}.handled($3, $4, s.reached, s.snapshot, s.floor, s.late_from, s.late_pinned) AS handled
    INTO one FROM ${schema}.settlement s WHERE s.subscription = $1 AND s.lane = $2 ORDER BY s.number LIMIT 1;
    IF one.handled THEN
        answer := CASE one.number WHEN 0 THEN 'found' ELSE 'before' END;
        settled := CASE WHEN one.number > 0 THEN one.settled_at END;
        RETURN;
    END IF;
    low := one.number;
    low_reached := one.reached;
    -- Not at low or below; settled is that of the first at top or above. Numbers may be missing.
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
        IF one.handled THEN
            settled := one.settled_at;
            top := guess;
            top_reached := one.reached;
        ELSE
            low := one.number;
            low_reached := one.reached;
        END IF;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION ${schema}.settled_lately(text, smallint, bigint, xid8) FROM PUBLIC;

-- As before, and then from the segments of the past, a limited number of them, from the newest back. NULL where that has been
-- pruned. Replaced and not made anew: views know a function by its identity.
CREATE OR REPLACE FUNCTION ${schema}.settled_at(subscription text, lane smallint, "position" bigint, xid xid8)
    RETURNS timestamptz
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one       record;
    candidate timestamptz;
    since     timestamptz;
    past      bigint;
BEGIN
    SELECT * INTO one FROM ${schema}.settled_lately($1, $2, $3, $4);
    IF one.answer <> 'before' THEN
        RETURN one.settled;
    END IF;
    candidate := one.settled;
    SELECT u.created_at INTO since FROM ${schema}.subscription u WHERE u.name = $1;
    FOR past IN SELECT g.first FROM ${schema}.segment g
        WHERE g.log = 'settlement' AND g.detached ORDER BY g.first DESC LIMIT 64
    LOOP
        SELECT * INTO one FROM ${schema}.settled_in(past, $1, $2, $3, $4, since);
        CASE one.answer
            WHEN 'found' THEN RETURN one.settled;
            WHEN 'not yet' THEN RETURN candidate;
            WHEN 'pruned' THEN RETURN NULL;
            WHEN 'before' THEN candidate := coalesce(one.settled, candidate);
        END CASE;
    END LOOP;
    RETURN NULL;
END
$$;

-- ---- seals of the past --------------------------------------------------------------------------------------------------

-- The tables that have settlements, those of the past behind the others, from the newest back.
CREATE FUNCTION ${schema}.settlement_tables() RETURNS SETOF text
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT t.name FROM (
        SELECT 'settlement' AS name, NULL::bigint AS first
        UNION ALL
        SELECT 'settlement_' || g.first, g.first FROM ${schema}.segment g WHERE g.log = 'settlement' AND g.detached
    ) t ORDER BY t.first DESC NULLS FIRST
$$;
REVOKE ALL ON FUNCTION ${schema}.settlement_tables() FROM PUBLIC;

-- The seals of a lane's settlements before a number and since a time, the newest first, at most so many; or of these alone.
-- A settlement that was copied forward is told once. Older ones than the subscription are of another of its name.
CREATE FUNCTION ${schema}.sealed(subscription text, lane smallint, before bigint, since timestamptz, most integer,
    these bigint[] DEFAULT NULL) RETURNS TABLE (number bigint, seals text)
    LANGUAGE plpgsql VOLATILE ROWS 100 SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    oldest timestamptz := greatest($4, (SELECT u.created_at FROM ${schema}.subscription u WHERE u.name = $1));
    below  bigint := $3;
    told   integer := 0;
    past   text;
    newest timestamptz;
BEGIN
    -- Nothing becomes of the past between two looks.
    LOCK TABLE ONLY ${schema}.settlement IN ACCESS SHARE MODE;
    FOR past IN SELECT * FROM ${schema}.settlement_tables() LOOP
        BEGIN
            FOR number, seals IN EXECUTE format('SELECT s.number, s.seals FROM ${schema}.%I s
                    WHERE s.subscription = $1 AND s.lane = $2 AND s.number < $3 AND s.settled_at >= $4
                      AND s.seals IS NOT NULL AND ($6 IS NULL OR s.number = ANY ($6))
                    ORDER BY s.number DESC LIMIT $5', past)
                USING $1, $2, below, oldest, $5 - told, $6
            LOOP
                below := number;
                told := told + 1;
                RETURN NEXT;
            END LOOP;
            EXIT WHEN told >= $5;
            EXECUTE format('SELECT s.settled_at FROM ${schema}.%I s WHERE s.subscription = $1 AND s.lane = $2
                ORDER BY s.number DESC LIMIT 1', past)
            INTO newest USING $1, $2;
        EXCEPTION WHEN undefined_table THEN
            EXIT;
        END;
        EXIT WHEN newest < oldest;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION ${schema}.sealed(text, smallint, bigint, timestamptz, integer, bigint[]) FROM PUBLIC;

-- Leaves settlements what is kept of their seals, wherever they are, and notes the broken ones as lost; false, and nothing is
-- written, if the lane is another's.
CREATE FUNCTION ${schema}.lose(subscription text, lane smallint, epoch bigint, incarnation text, numbers bigint[],
    kept text[], broken text[]) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    created timestamptz := (SELECT u.created_at FROM ${schema}.subscription u WHERE u.name = $1);
    first   bigint := (SELECT min(n) FROM unnest($5) AS n);
    past    text;
    passed  boolean;
BEGIN
    LOCK TABLE ONLY ${schema}.settlement IN ROW EXCLUSIVE MODE;
    PERFORM FROM ${schema}.lane l
    WHERE l.subscription = $1 AND l.lane = $2 AND l.epoch = $3 AND (SELECT i.token FROM ${schema}.incarnation i) = $4
    FOR SHARE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    FOR past IN SELECT * FROM ${schema}.settlement_tables() WHERE first IS NOT NULL LOOP
        BEGIN
            EXECUTE format('UPDATE ${schema}.%I s SET seals = k.seals FROM unnest($3, $4) AS k (number, seals)
                WHERE s.subscription = $1 AND s.lane = $2 AND s.number = k.number AND s.settled_at >= $5', past)
            USING $1, $2, $5, $6, created;
            EXECUTE format('SELECT EXISTS (SELECT FROM ${schema}.%I s
                WHERE s.subscription = $1 AND s.lane = $2 AND s.number < $3 AND s.settled_at >= $4)', past)
            INTO passed USING $1, $2, first, created;
        EXCEPTION WHEN undefined_table THEN
            EXIT;
        END;
        EXIT WHEN passed;
    END LOOP;
    INSERT INTO ${schema}.lost (subscription, lane, seal)
    SELECT $1, $2, b.seal FROM unnest($7) WITH ORDINALITY AS b (seal, number) ORDER BY b.number;
    RETURN true;
END
$$;
REVOKE ALL ON FUNCTION ${schema}.lose(text, smallint, bigint, text, bigint[], text[], text[]) FROM PUBLIC;
