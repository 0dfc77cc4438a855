-- Where subscriptions began, kept as long as they are. This file is immutable: what changes later is a migration of its own.
-- serves: 29

-- The cursor with which all lanes of a subscription began. Its first settlements say the same, but those go with time. NULL
-- where a node that does not know these columns has registered the subscription, until note_beginnings finds it.
ALTER TABLE ${schema}.subscription
    ADD COLUMN began          bigint,
    ADD COLUMN began_snapshot pg_snapshot,
    ADD COLUMN began_floor    bigint;

-- Notes where subscriptions began that do not say so: from a first settlement of any of their lanes, also of the past. Where
-- all of those are gone, everything that is passed counts as settled, as from the beginning of the log.
CREATE FUNCTION ${schema}.note_beginnings() RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one   record;
    past  text;
    known record;
BEGIN
    IF NOT EXISTS (SELECT FROM ${schema}.subscription u WHERE u.began IS NULL) THEN
        RETURN;
    END IF;
    -- Nothing becomes of the past between two looks.
    LOCK TABLE ONLY ${schema}.settlement IN ACCESS SHARE MODE;
    FOR one IN SELECT u.name, u.created_at FROM ${schema}.subscription u WHERE u.began IS NULL ORDER BY u.name LOOP
        SELECT s.reached, s.snapshot, s.floor INTO known
        FROM ${schema}.lane l CROSS JOIN LATERAL (
            SELECT * FROM ${schema}.settlement s WHERE s.subscription = l.subscription AND s.lane = l.lane AND s.number = 0
            ORDER BY s.number LIMIT 1
        ) s
        WHERE l.subscription = one.name LIMIT 1;
        IF known.reached IS NULL THEN
            FOR past IN SELECT 'settlement_' || g.first FROM ${schema}.segment g
                WHERE g.log = 'settlement' AND g.detached ORDER BY g.first
            LOOP
                -- Older ones are of a subscription of this name that was removed.
                EXECUTE format('SELECT s.reached, s.snapshot, s.floor
                    FROM ${schema}.lane l CROSS JOIN LATERAL (
                        SELECT * FROM ${schema}.%I s WHERE s.subscription = l.subscription AND s.lane = l.lane
                          AND s.number = 0 AND s.settled_at >= $2
                        ORDER BY s.number LIMIT 1
                    ) s
                    WHERE l.subscription = $1 LIMIT 1', past)
                INTO known USING one.name, one.created_at;
                EXIT WHEN known.reached IS NOT NULL;
            END LOOP;
        END IF;
        UPDATE ${schema}.subscription u
        SET began = coalesce(known.reached, 0), began_snapshot = coalesce(known.snapshot, '1:1:'),
            began_floor = coalesce(known.floor, 0)
        WHERE u.name = one.name AND u.created_at = one.created_at AND u.began IS NULL;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION ${schema}.note_beginnings() FROM PUBLIC;

SELECT ${schema}.note_beginnings();

-- As before, but for where lanes began.
CREATE OR REPLACE FUNCTION ${schema}.cursors(only_subscription text DEFAULT NULL, only_lane smallint DEFAULT NULL)
    RETURNS TABLE (subscription text, lane smallint, pattern text, reached bigint, snapshot pg_snapshot, bound xid8,
        floor bigint, late_from bigint, late_pinned pg_snapshot, began bigint, began_snapshot pg_snapshot,
        began_floor bigint)
    LANGUAGE plpgsql STABLE ROWS 16 SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT l.subscription, l.lane, ${schema}.pattern(u.filter), s.reached, s.snapshot, s.bound, s.floor, s.late_from,
        s.late_pinned, coalesce(u.began, b.reached), coalesce(u.began_snapshot, b.snapshot),
        coalesce(u.began_floor, b.floor)
    FROM ${schema}.subscription u JOIN ${schema}.lane l ON l.subscription = u.name
    CROSS JOIN LATERAL (
        SELECT * FROM ${schema}.settlement s WHERE s.subscription = l.subscription AND s.lane = l.lane
        ORDER BY s.number DESC LIMIT 1
    ) s
    LEFT JOIN LATERAL (
        SELECT * FROM ${schema}.settlement s
        WHERE u.began IS NULL AND s.subscription = l.subscription AND s.lane = l.lane AND s.number = 0
        ORDER BY s.number LIMIT 1
    ) b ON true
    WHERE (only_subscription IS NULL OR u.name = only_subscription) AND (only_lane IS NULL OR l.lane = only_lane);
END
$$;
