-- The checks of an append for less: the same values are taken and refused, and every event keeps its lane. This file is
-- immutable: what changes later is a migration of its own.
-- serves: 34

-- The lane is the fourth hexadecimal digit of the MD5, read from its second byte instead of from text.
CREATE OR REPLACE FUNCTION ${schema}.lane_of(key text, id uuid) RETURNS smallint
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT (get_byte(decode(md5(convert_to(coalesce(key, id::text), 'UTF8')), 'hex'), 1) & 15)::smallint
$$;

-- Whether nothing is wrong with an event, by tests that cost little: bytes are counted instead of characters, and of keys
-- and tenants the first character alone is looked at. The rest is left to require_event.
CREATE OR REPLACE FUNCTION ${schema}.is_plain(type text, key text, tenant text, payload_bytes integer, headers text,
    deliver_at timestamptz, expires_at timestamptz, priority integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT coalesce(payload_bytes <= 1048576
        AND octet_length(headers) <= 512 AND ascii(headers) = 123 AND strpos(headers, '\u') = 0
        AND octet_length(type) <= 255 AND type ~ '^[^\x01-\x20\x7f*>]+$'
        AND (key IS NULL OR octet_length(key) <= 255 AND ascii(key) > 32)
        AND (tenant IS NULL OR octet_length(tenant) <= 255 AND ascii(tenant) > 32)
        AND deliver_at IS NULL AND expires_at IS NULL AND priority IS NULL, false)
$$;

-- One event. Headers of two bytes are an empty object, and do not count. A plain event has no schedule.
CREATE OR REPLACE FUNCTION ${schema}.append_event(id uuid, type text, key text, payload json, headers json, tenant text,
    deliver_at timestamptz DEFAULT NULL, expires_at timestamptz DEFAULT NULL, priority integer DEFAULT NULL) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    known         integer := pg_relation_is_updatable('${schema}.cluster'::regclass, false);
    of_headers    text := coalesce(headers::text, '{}');
    payload_bytes integer := octet_length(payload::text);
    bytes         integer := payload_bytes + coalesce(nullif(octet_length(of_headers), 2), 0);
BEGIN
    IF id IS NULL THEN
        id := ${schema}.draw_id();
    END IF;
    IF ${schema}.is_plain(type, key, tenant, payload_bytes, of_headers, deliver_at, expires_at, priority) THEN
        INSERT INTO ${schema}.outbox_log (id, type, key, payload, headers, tenant, lane, bytes)
        VALUES (id, type, key, payload, coalesce(headers, '{}'), tenant, ${schema}.lane_of(key, id), bytes);
    ELSE
        PERFORM ${schema}.require_event(type, key, tenant, payload_bytes, of_headers, deliver_at, expires_at, priority);
        INSERT INTO ${schema}.outbox_log (id, type, key, payload, headers, tenant, lane, bytes,
            deliver_at, expires_at, priority)
        VALUES (id, type, key, payload, coalesce(headers, '{}'), tenant, ${schema}.lane_of(key, id), bytes,
            deliver_at, expires_at, priority);
    END IF;
    RETURN id;
END
$$;
