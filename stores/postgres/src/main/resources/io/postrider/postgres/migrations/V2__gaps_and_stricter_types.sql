-- Gaps in the positions; lanes that do not depend on the database's encoding; types that are not blank. This file is
-- immutable: what changes later is a migration of its own.

-- Positions that no event will ever have, because the sequence was moved on (see Overflow): between the two, both excluded.
CREATE TABLE ${schema}.gap (
    log    text   NOT NULL,
    after  bigint NOT NULL,
    before bigint NOT NULL,
    PRIMARY KEY (log, after)
);

-- By the UTF-8 form of the key, as Lane.of computes it, also where the database has another encoding.
CREATE OR REPLACE FUNCTION ${schema}.lane_of(key text, id uuid) RETURNS smallint
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT (('x' || substr(md5(convert_to(coalesce(key, id::text), 'UTF8')), 1, 4))::bit(16)::int % 16)::smallint
$$;

-- A type of blanks alone is refused, as Event refuses it.
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
    NEW.bytes := octet_length(NEW.payload::text);
    IF NEW.bytes > 1048576 THEN
        RAISE check_violation USING MESSAGE = 'an event''s payload has at most 1048576 bytes, got ' || NEW.bytes;
    END IF;
    NEW.lane := ${schema}.lane_of(NEW.key, NEW.id);
    INSERT INTO ${schema}.outbox_log (id, type, key, payload, headers, tenant, lane, bytes)
    VALUES (NEW.id, NEW.type, NEW.key, NEW.payload, NEW.headers, NEW.tenant, NEW.lane, NEW.bytes)
    RETURNING position, xid, appended_at INTO NEW.position, NEW.xid, NEW.appended_at;
    RETURN NEW;
END
$$;
