-- Who may do what, and which values a log takes. Every append goes through functions of the owner, so that a role which
-- appends has no right on a table: see docs/guides/rights.md. This file is immutable: what changes later is a migration
-- of its own.
-- serves: 10

-- pg_temp is named, and last: where it is not named it is searched first for types, and anyone may have a type `text`
-- there whose CHECK calls a function of theirs.

-- ---- what an append checks --------------------------------------------------------------------------------------------

-- Whether nothing is wrong with an event, by tests that cost little. What fails here is looked at by require_event.
-- Headers of 512 bytes without an escape can exceed no limit of their number, names or values.
CREATE FUNCTION ${schema}.is_plain(type text, key text, tenant text, payload_bytes integer, headers text,
    deliver_at timestamptz, expires_at timestamptz, priority integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT coalesce(payload_bytes <= 1048576
        AND octet_length(headers) <= 512 AND starts_with(headers, '{') AND strpos(headers, '\u') = 0
        AND length(type) <= 255 AND type ~ '^[^\x01-\x20\x7f*>]+$'
        AND (key IS NULL OR length(key) <= 255 AND key ~ '[^\x01-\x20]')
        AND (tenant IS NULL OR length(tenant) <= 255 AND tenant ~ '[^\x01-\x20]')
        AND deliver_at IS NULL AND expires_at IS NULL AND priority IS NULL, false)
$$;

-- Refuses an event with the sentence that Event, Headers and Schedule have for the same. No sentence has a payload. The
-- error names a constraint, which tells it from the error of a missing segment.
CREATE FUNCTION ${schema}.require_event(type text, key text, tenant text, payload_bytes integer, headers text,
    deliver_at timestamptz, expires_at timestamptz, priority integer) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    why    text;
    number integer;
    one    record;
BEGIN
    IF coalesce(length(type) NOT BETWEEN 1 AND 255 OR type ~ '[\x01-\x20\x7f*>]', true) THEN
        why := 'an event''s type has 1 to 255 characters, none of them blank, a control character, ''*'' or ''>'', got '
            || CASE WHEN type IS NULL THEN 'none' WHEN length(type) <= 40 THEN quote_literal(type)
                   ELSE quote_literal(left(type, 40) || '…') END;
    ELSIF length(key) > 255 OR key !~ '[^\x01-\x20]' THEN
        why := 'an event''s key has 1 to 255 characters, not all of them blank, got ' || length(key);
    ELSIF length(tenant) > 255 OR tenant !~ '[^\x01-\x20]' THEN
        why := 'an event''s tenant has 1 to 255 characters, not all of them blank, got ' || length(tenant);
    ELSIF payload_bytes IS NULL THEN
        why := 'an event has a payload, got none';
    ELSIF payload_bytes > 1048576 THEN
        why := 'an event''s payload has at most 1048576 bytes, got ' || payload_bytes;
    ELSIF priority NOT BETWEEN -100 AND 100 THEN
        why := 'a priority is from -100 to 100, got ' || priority;
    ELSIF NOT (deliver_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999999+00') THEN
        why := 'an event''s times are in the years 1 to 9999, got ' || deliver_at;
    ELSIF NOT (expires_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999999+00') THEN
        why := 'an event''s times are in the years 1 to 9999, got ' || expires_at;
    ELSIF expires_at <= deliver_at THEN
        why := 'an event expires after it may be delivered, got ' || deliver_at || ' to ' || expires_at;
    ELSIF json_typeof(headers::json) <> 'object' THEN
        why := 'an event''s headers are a JSON object, got ' || json_typeof(headers::json);
    ELSIF octet_length(headers) > 512 OR strpos(headers, '\u') > 0 THEN
        SELECT count(*) AS headers, sum(octet_length(h.key) + coalesce(octet_length(h.value), 0)) AS bytes INTO one
        FROM json_each_text(headers::json) h;
        IF one.headers > 100 THEN
            why := 'an event has at most 100 headers, got ' || one.headers;
        ELSIF one.bytes > 65536 THEN
            why := 'an event''s headers have at most 65536 bytes, got ' || one.bytes;
        END IF;
        SELECT h.key, length(h.key) AS name, length(h.value) AS value, n.most INTO one
        FROM json_each_text(headers::json) h CROSS JOIN LATERAL (
            SELECT CASE WHEN h.key IN ('userId', 'correlationId') THEN 512 ELSE 8192 END AS most) n
        WHERE why IS NULL AND (length(h.key) > 512 OR length(h.value) > n.most) LIMIT 1;
        IF one.name > 512 THEN
            why := 'a header''s name has 1 to 512 characters, got ' || one.name;
        ELSIF one.value > one.most THEN
            why := 'the header ''' || one.key || ''' has at most ' || one.most || ' characters, got ' || one.value;
        END IF;
    END IF;
    IF why IS NOT NULL THEN
        RAISE check_violation USING MESSAGE = why, CONSTRAINT = 'event';
    END IF;
EXCEPTION WHEN data_exception THEN
    -- Headers that are no JSON never come here: their type is json.
    RAISE check_violation USING
        MESSAGE = 'an event''s headers have a NUL or half of a surrogate pair', CONSTRAINT = 'event';
END
$$;

-- JSON of a text, refused without what the text has: PostgreSQL's own error shows some of it.
CREATE FUNCTION ${schema}.json_of(what text, value text) RETURNS json
    LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN value::json;
EXCEPTION WHEN invalid_text_representation THEN
    RAISE invalid_text_representation USING MESSAGE = 'the text given as an event''s ' || what || ' is not JSON';
END
$$;

-- ---- append -----------------------------------------------------------------------------------------------------------

-- One event. pg_relation_is_updatable is called for its lock: a transaction that has appended before takes none for its
-- next INSERT, and who takes no lock does not learn of new segments; the INSERT would then go to the default partition
-- and be refused there.
CREATE FUNCTION ${schema}.append_event(id uuid, type text, key text, payload json, headers json, tenant text,
    deliver_at timestamptz DEFAULT NULL, expires_at timestamptz DEFAULT NULL, priority integer DEFAULT NULL) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    known         integer := pg_relation_is_updatable('${schema}.cluster'::regclass, false);
    of_headers    text := coalesce(headers::text, '{}');
    payload_bytes integer := octet_length(payload::text);
    bytes         integer := payload_bytes + CASE WHEN of_headers = '{}' THEN 0 ELSE octet_length(of_headers) END;
BEGIN
    IF NOT ${schema}.is_plain(type, key, tenant, payload_bytes, of_headers, deliver_at, expires_at, priority) THEN
        PERFORM ${schema}.require_event(type, key, tenant, payload_bytes, of_headers, deliver_at, expires_at, priority);
    END IF;
    IF id IS NULL THEN
        id := ${schema}.draw_id();
    END IF;
    IF deliver_at IS NULL AND expires_at IS NULL AND priority IS NULL THEN
        INSERT INTO ${schema}.outbox_log (id, type, key, payload, headers, tenant, lane, bytes)
        VALUES (id, type, key, payload, coalesce(headers, '{}'), tenant, ${schema}.lane_of(key, id), bytes);
    ELSE
        INSERT INTO ${schema}.outbox_log (id, type, key, payload, headers, tenant, lane, bytes,
            deliver_at, expires_at, priority)
        VALUES (id, type, key, payload, coalesce(headers, '{}'), tenant, ${schema}.lane_of(key, id), bytes,
            deliver_at, expires_at, priority);
    END IF;
    RETURN id;
END
$$;

-- Several events, an array for each column.
CREATE FUNCTION ${schema}.append_events(ids uuid[], types text[], keys text[], payloads text[], headers text[],
    tenants text[], deliver_at timestamptz[], expires_at timestamptz[], priorities smallint[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    known integer := pg_relation_is_updatable('${schema}.cluster'::regclass, false);
BEGIN
    PERFORM ${schema}.require_event(e.type, e.key, e.tenant, octet_length(e.payload), coalesce(e.headers, '{}'),
        e.deliver_at, e.expires_at, e.priority)
    FROM unnest(ids, types, keys, payloads, $5, tenants, $7, $8, priorities)
        AS e (id, type, key, payload, headers, tenant, deliver_at, expires_at, priority)
    WHERE NOT ${schema}.is_plain(e.type, e.key, e.tenant, octet_length(e.payload), coalesce(e.headers, '{}'),
        e.deliver_at, e.expires_at, e.priority);
    INSERT INTO ${schema}.outbox_log (id, type, key, payload, headers, tenant, lane, bytes,
        deliver_at, expires_at, priority)
    SELECT e.id, e.type, e.key, e.payload::json, coalesce(e.headers, '{}')::json, e.tenant, ${schema}.lane_of(e.key, e.id),
        octet_length(e.payload) + CASE WHEN e.headers <> '{}' THEN octet_length(e.headers) ELSE 0 END,
        e.deliver_at, e.expires_at, e.priority
    FROM (
        SELECT coalesce(u.id, ${schema}.draw_id()) AS id, u.type, u.key, u.payload, u.headers, u.tenant, u.deliver_at,
            u.expires_at, u.priority
        FROM unnest(ids, types, keys, payloads, $5, tenants, $7, $8, priorities)
            AS u (id, type, key, payload, headers, tenant, deliver_at, expires_at, priority)
    ) e;
END
$$;

-- The append of every other language. Two functions, because drivers send JSON as json, as jsonb, as text or as a
-- literal without a type: a literal is taken for text, and what has a type and is no text goes to the second. Both run
-- with the caller's rights, so that a type of the caller's own is converted with those.
DROP FUNCTION ${schema}.append(text, json, text, json, text, uuid, timestamptz, timestamptz, integer);
CREATE FUNCTION ${schema}.append(
    type       text,
    payload    text,
    key        text DEFAULT NULL,
    headers    anycompatible DEFAULT '{}'::json,
    tenant     text DEFAULT NULL,
    id         uuid DEFAULT NULL,
    deliver_at timestamptz DEFAULT NULL,
    expires_at timestamptz DEFAULT NULL,
    priority   integer DEFAULT NULL
) RETURNS uuid
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN ${schema}.append_event(id, type, key, ${schema}.json_of('payload', payload),
        ${schema}.json_of('headers', headers::text), tenant, deliver_at, expires_at, priority);
END
$$;
CREATE FUNCTION ${schema}.append(
    type       text,
    payload    anyelement,
    key        text DEFAULT NULL,
    headers    anycompatible DEFAULT '{}'::json,
    tenant     text DEFAULT NULL,
    id         uuid DEFAULT NULL,
    deliver_at timestamptz DEFAULT NULL,
    expires_at timestamptz DEFAULT NULL,
    priority   integer DEFAULT NULL
) RETURNS uuid
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF pg_typeof(payload) NOT IN ('json'::regtype, 'jsonb'::regtype) THEN
        RAISE datatype_mismatch USING
            MESSAGE = 'an event''s payload is of type json, jsonb or text, got ' || pg_typeof(payload);
    END IF;
    RETURN ${schema}.append_event(id, type, key, payload::text::json,
        ${schema}.json_of('headers', headers::text), tenant, deliver_at, expires_at, priority);
END
$$;

-- The outbox as people see it and other languages insert into it. Payload and headers are text here: PostgreSQL takes json,
-- jsonb and text for a text column, but no text for a json column.
DROP VIEW ${schema}.outbox;
CREATE VIEW ${schema}.outbox AS
    SELECT type, key, payload::text AS payload, headers::text AS headers, tenant, id, position, xid, lane, bytes, appended_at,
        deliver_at, expires_at, priority
    FROM ${schema}.outbox_log;

CREATE OR REPLACE FUNCTION ${schema}.outbox_append() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    known         integer := pg_relation_is_updatable('${schema}.cluster'::regclass, false);
    payload_bytes integer := octet_length(NEW.payload);
BEGIN
    IF num_nonnulls(NEW.position, NEW.xid, NEW.lane, NEW.bytes, NEW.appended_at) > 0 THEN
        RAISE check_violation USING
            MESSAGE = 'an event''s position, xid, lane, bytes and appended_at are assigned by the log', CONSTRAINT = 'event';
    END IF;
    NEW.headers := coalesce(NEW.headers, '{}');
    PERFORM ${schema}.json_of('headers', NEW.headers);
    PERFORM ${schema}.require_event(NEW.type, NEW.key, NEW.tenant, payload_bytes, NEW.headers, NEW.deliver_at,
        NEW.expires_at, NEW.priority);
    NEW.id := coalesce(NEW.id, ${schema}.draw_id());
    NEW.bytes := payload_bytes + CASE WHEN NEW.headers = '{}' THEN 0 ELSE octet_length(NEW.headers) END;
    NEW.lane := ${schema}.lane_of(NEW.key, NEW.id);
    INSERT INTO ${schema}.outbox_log (id, type, key, payload, headers, tenant, lane, bytes, deliver_at, expires_at, priority)
    VALUES (NEW.id, NEW.type, NEW.key, ${schema}.json_of('payload', NEW.payload), NEW.headers::json, NEW.tenant, NEW.lane,
        NEW.bytes, NEW.deliver_at, NEW.expires_at, NEW.priority)
    RETURNING position, xid, appended_at INTO NEW.position, NEW.xid, NEW.appended_at;
    RETURN NEW;
END
$$;
CREATE TRIGGER outbox_append INSTEAD OF INSERT ON ${schema}.outbox
    FOR EACH ROW EXECUTE FUNCTION ${schema}.outbox_append();

-- ---- functions of earlier migrations ----------------------------------------------------------------------------------

-- At most as much of a header as an index takes. Names no type, and so needs no search_path of its own, which each call
-- would pay for.
CREATE OR REPLACE FUNCTION ${schema}.header(headers json, name text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT
AS $$
BEGIN
    RETURN pg_catalog.left(headers OPERATOR(pg_catalog.->>) name, 512);
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END
$$;
REINDEX INDEX ${schema}.delivery_failed_user;
REINDEX INDEX ${schema}.dead_events_user;

ALTER FUNCTION ${schema}.settled_at SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION ${schema}.attempts SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION ${schema}.payload_at SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION ${schema}.event_at SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION ${schema}.cursors SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION ${schema}.late_events SET search_path = pg_catalog, pg_temp;

-- ---- rights -----------------------------------------------------------------------------------------------------------

-- Lets a role append, from Java and from SQL, and do nothing else.
CREATE FUNCTION ${schema}.grant_append(role name) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA ${schema} TO %I', role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION ${schema}.append(text, text, text, anycompatible, text, uuid, timestamptz, '
        'timestamptz, integer) TO %I', role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION ${schema}.append(text, anyelement, text, anycompatible, text, uuid, '
        'timestamptz, timestamptz, integer) TO %I', role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION ${schema}.append_event, ${schema}.append_events, ${schema}.json_of TO %I',
        role);
    EXECUTE format('GRANT INSERT (type, key, payload, headers, tenant, id, deliver_at, expires_at, priority) '
        'ON ${schema}.outbox TO %I', role);
END
$$;

-- Lets a role run nodes. They make and drop segments, which PostgreSQL allows the owner of a table alone: so the role
-- becomes a member of the owner.
CREATE FUNCTION ${schema}.grant_engine(role name) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    owner name := (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = '${schema}.outbox_log'::regclass);
BEGIN
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = owner) THEN
        RAISE insufficient_privilege USING MESSAGE = format(
            'the schema ${schema} belongs to %I, a superuser, and whoever runs nodes would become one: let it belong to a '
            'role of its own', owner);
    END IF;
    EXECUTE format('GRANT %I TO %I', owner, role);
EXCEPTION WHEN insufficient_privilege THEN
    RAISE insufficient_privilege USING MESSAGE = SQLERRM, HINT = format(
        'Nodes run as members of the schema''s owner. An administrator grants that: GRANT %I TO %I', owner, role);
END
$$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${schema} FROM PUBLIC;
