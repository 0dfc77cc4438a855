-- When the form of effects changed is on record by itself: the time of the filter moves on whenever a node leaves, and with any
-- change of types. This file is immutable: what changes later is a migration of its own.
-- serves: 36

ALTER TABLE ${schema}.subscription ADD COLUMN form_at timestamptz;
-- Nobody knows of an earlier change what it was.
UPDATE ${schema}.subscription SET form_at = filter_at
WHERE filter_before IS NOT NULL AND ' ' || filter || ' ' LIKE '% #with-effect %';

CREATE OR REPLACE FUNCTION ${schema}.change_filter(subscription text, wanted text, node text, unheld interval DEFAULT NULL,
        OUT known boolean, OUT was text, OUT others text[])
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
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
    -- The owner of these lives and can settle them no more: the change took the lane away, so no attempt counts. A row whose
    -- owner fell silent stays as it is, for the next owner to count.
    UPDATE ${schema}.delivery d SET status = 'retrying', attempt = greatest(0, d.attempt - 1), changed_at = now(),
        error = 'a changed filter took its lane away before it settled'
    FROM ${schema}.lane l
    WHERE d.subscription = $1 AND d.status = 'running' AND d.lease_until IS NULL
      AND l.subscription = d.subscription AND l.lane = d.lane
      AND EXISTS (SELECT FROM ${schema}.node n WHERE n.id = l.owner AND n.lease_until > clock_timestamp());
    -- A lane whose owner fell silent counts as taken over, so that an event that ends its process is found all the same.
    UPDATE ${schema}.lane l SET owner = NULL, epoch = l.epoch + 1,
        takeovers = l.takeovers + CASE WHEN l.owner IS NULL OR EXISTS (
            SELECT FROM ${schema}.node n WHERE n.id = l.owner AND n.lease_until > clock_timestamp()) THEN 0 ELSE 1 END
    WHERE l.subscription = $1;
    -- A task was claimed only to be skipped if the old filter did not take it, and neither does that of its owner, which may
    -- have claimed it before the old filter was in force.
    UPDATE ${schema}.delivery d SET status = 'ready', owner = NULL, lease_until = NULL, changed_at = now()
    WHERE d.subscription = $1 AND d.lease_until IS NOT NULL AND d.status = 'running'
      AND d.type !~ ${schema}.pattern(stored)
      AND NOT EXISTS (
          SELECT FROM ${schema}.node n WHERE n.id = d.owner AND d.type ~ ${schema}.pattern(n.filters ->> $1));
    -- A queue becomes lanes, or lanes a queue: neither finds the rows of the other kind unless they wait.
    IF (' ' || stored || ' ' LIKE '% #queue %') <> (' ' || wanted || ' ' LIKE '% #queue %') THEN
        UPDATE ${schema}.delivery d
        SET status = 'retrying', owner = NULL, lease_until = NULL, claim = NULL, behind = false, changed_at = now()
        WHERE d.subscription = $1 AND (d.status IN ('ready', 'running') OR d.behind);
    END IF;
    UPDATE ${schema}.subscription s SET filter = wanted, filter_at = clock_timestamp(), filter_before = stored,
        form_at = CASE WHEN (' ' || stored || ' ' LIKE '% #with-effect %') = (' ' || wanted || ' ' LIKE '% #with-effect %')
            THEN s.form_at ELSE clock_timestamp() END
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

-- Whoever was let read the attempts reads the view of them, which older views look into by now.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT DISTINCT CASE WHEN g.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(g.grantee)) END AS reader
        FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) g
        WHERE c.oid = '${schema}.attempt'::regclass AND g.privilege_type = 'SELECT' AND g.grantee <> c.relowner
    LOOP
        EXECUTE format('GRANT SELECT ON ${schema}.own_attempt TO %s', one.reader);
    END LOOP;
END
$$;
