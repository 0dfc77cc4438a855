-- One meaning of blank in types, keys, tenants and names of headers, in SQL as in Java. This file is immutable: what changes
-- later is a migration of its own.
-- serves: 36

-- Blank are the white space of all scripts, spaces that do not break and control characters: in the ranges below, which are
-- those of Character.isSpaceChar and isISOControl.

-- Whether nothing is wrong with an event, by tests that cost little: bytes are counted instead of characters, of keys and
-- tenants the first character alone is looked at, and of names of headers whether each has a visible character of ASCII. A
-- search for one byte costs a quarter of a search for two. The rest is left to require_event. Headers of two bytes are an
-- empty object.
CREATE OR REPLACE FUNCTION ${schema}.is_plain(type text, key text, tenant text, payload_bytes integer, headers text,
    deliver_at timestamptz, expires_at timestamptz, priority integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT coalesce(payload_bytes <= 1048576
        AND octet_length(headers) <= 512 AND ascii(headers) = 123
        AND (octet_length(headers) = 2 OR (strpos(headers, '\') = 0 OR strpos(headers, '\u') = 0)
            AND headers !~ '"(?:[^!-~]|\\[bfnrt])*"\s*:')
        AND octet_length(type) <= 255
        AND type ~ '^[^\x01-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000*>]+$'
        AND (key IS NULL OR octet_length(key) <= 255 AND ascii(key) > 32
            AND (ascii(key) < 127 OR ascii(key) BETWEEN 161 AND 5759 OR ascii(key) > 12288))
        AND (tenant IS NULL OR octet_length(tenant) <= 255 AND ascii(tenant) > 32
            AND (ascii(tenant) < 127 OR ascii(tenant) BETWEEN 161 AND 5759 OR ascii(tenant) > 12288))
        AND deliver_at IS NULL AND expires_at IS NULL AND priority IS NULL, false)
$$;

-- Refuses an event with the sentence that Event, Headers and Schedule have for the same. No sentence has a payload. The
-- error names a constraint, which tells it from the error of a missing segment.
CREATE OR REPLACE FUNCTION ${schema}.require_event(type text, key text, tenant text, payload_bytes integer, headers text,
    deliver_at timestamptz, expires_at timestamptz, priority integer) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    solid  text := '[^\x01-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]';
    why    text;
    one    record;
BEGIN
    IF coalesce(length(type) NOT BETWEEN 1 AND 255
        OR type ~ '[\x01-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000*>]', true) THEN
        why := 'an event''s type has 1 to 255 characters, none of them blank, a control character, ''*'' or ''>'', got '
            || CASE WHEN type IS NULL THEN 'none' WHEN length(type) <= 40 THEN quote_literal(type)
                   ELSE quote_literal(left(type, 40) || '…') END;
    ELSIF length(key) > 255 OR key !~ solid THEN
        why := 'an event''s key has 1 to 255 characters, not all of them blank, got ' || length(key);
    ELSIF length(tenant) > 255 OR tenant !~ solid THEN
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
    ELSIF octet_length(headers) > 512 OR strpos(headers, '\u') > 0 OR headers ~ '"(?:[^!-~]|\\[bfnrt])*"\s*:' THEN
        SELECT count(*) AS headers, sum(octet_length(h.key) + coalesce(octet_length(h.value), 0)) AS bytes INTO one
        FROM json_each_text(headers::json) h;
        IF one.headers > 100 THEN
            why := 'an event has at most 100 headers, got ' || one.headers;
        ELSIF one.bytes > 65536 THEN
            why := 'an event''s headers have at most 65536 bytes, got ' || one.bytes;
        ELSIF EXISTS (SELECT FROM json_object_keys(headers::json) AS h (name) WHERE h.name !~ solid) THEN
            why := 'a header needs a name';
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
