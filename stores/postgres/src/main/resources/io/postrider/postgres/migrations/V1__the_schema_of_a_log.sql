-- The schema of a log: what is appended, who reads it, how far everyone is, and what did not settle at once. ${schema} is
-- the schema of this installation, ${lanes} the number of its lanes. The outbox and the inbox are two such schemas.
--
-- This file is immutable. A change is a new file with the next number, named in the file index beside this one.
--
-- Every function names its search_path, and pg_temp last: where pg_temp is not named, PostgreSQL searches it first for types,
-- and any role may have a type `text` there whose CHECK calls a function of that role. Functions without a search_path run
-- with the rights of their callers and are inlined, or called so often that the setting would cost too much.


-- ==== ids and lanes ======================================================================================================

-- A UUID of version 7, for events that come without an id. (PostgreSQL 18 has uuidv7(); 14 to 17 have not.)
CREATE FUNCTION ${schema}.draw_id() RETURNS uuid
    LANGUAGE sql VOLATILE PARALLEL SAFE
AS $$
    SELECT encode(
        set_bit(set_bit(
            overlay(uuid_send(gen_random_uuid())
                PLACING substring(int8send((date_part('epoch', clock_timestamp()) * 1000)::bigint) FROM 3)
                FROM 1 FOR 6),
            52, 1), 53, 1),
        'hex')::uuid
$$;

-- How many lanes this log has: chosen when the schema is made, and the same for good. Functions below have the number in
-- their texts, because PostgreSQL computes with it once, and not at every call.
CREATE FUNCTION ${schema}.lanes() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT ${lanes}
$$;

-- The lane of a key, or of the id where there is no key: the same in every language, see Lane.of. The first four hexadecimal
-- digits of the MD5 of the UTF-8 form, whatever the encoding of the database, modulo the number of lanes. For a power of two
-- the second byte alone says as much, for less.
CREATE FUNCTION ${schema}.lane_of(key text, id uuid) RETURNS smallint
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT (CASE WHEN ${lanes} & (${lanes} - 1) = 0
        THEN get_byte(decode(md5(convert_to(coalesce(key, id::text), 'UTF8')), 'hex'), 1) & (${lanes} - 1)
        ELSE (get_byte(decode(md5(convert_to(coalesce(key, id::text), 'UTF8')), 'hex'), 0) * 256
            + get_byte(decode(md5(convert_to(coalesce(key, id::text), 'UTF8')), 'hex'), 1)) % ${lanes} END)::smallint
$$;


-- ==== the log ============================================================================================================

-- Tables have names that are right in the outbox as in the inbox. Views have the names that their readers know.

-- CACHE 1: a session that kept numbers back would draw small positions late.
CREATE SEQUENCE ${schema}.event_position AS bigint CACHE 1;

-- No generated columns, CHECK constraints or triggers: PostgreSQL prepares their expressions anew for every statement, at
-- more than the price of the whole INSERT. The functions of an append check instead.
CREATE TABLE ${schema}.event_log (
    -- The CASE assigns the transaction's id before the position is drawn; the reader's proof rests on that order.
    position    bigint      NOT NULL DEFAULT
        CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('${schema}.event_position') END,
    xid         xid8        NOT NULL DEFAULT pg_current_xact_id(),
    id          uuid        NOT NULL,
    type        text        NOT NULL,
    key         text,
    payload     json        NOT NULL,
    headers     json        NOT NULL,
    tenant      text,
    appended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    lane        smallint    NOT NULL,
    bytes       integer     NOT NULL,
    deliver_at  timestamptz,
    expires_at  timestamptz,
    priority    smallint
) PARTITION BY RANGE (position);

-- Indexes for searching are not here: prune makes them segment by segment, beside the appends.
CREATE INDEX event_log_lane_position ON ${schema}.event_log (lane, position);
CREATE INDEX event_log_lane_xid ON ${schema}.event_log (lane, xid);

-- An append never fails for want of a segment: a row whose position is in none goes to the default partition. The first
-- segment is so wide that nobody reaches its end; Segments says how a log comes to the next one.
CREATE TABLE ${schema}.event_log_rest PARTITION OF ${schema}.event_log DEFAULT;
CREATE TABLE ${schema}.event_log_1 PARTITION OF ${schema}.event_log FOR VALUES FROM (1) TO (68719476736);

-- A row for each segment of a log or of the settlements, for positions from first up to next, exclusive. The catalog says
-- which segments there are; this table says what a node may do with them. Lists of transactions are virtual ids as in
-- pg_locks: NULL until they have been looked for, empty once all of them have ended.
CREATE TABLE ${schema}.segment (
    log       text    NOT NULL,
    first     bigint  NOT NULL,
    next      bigint  NOT NULL,
    -- Transactions that may not know of the segment: until they end, no position of it is drawn.
    unaware   text[],
    -- Transactions that may still write to the segment although later positions are drawn: until they end, it is not emptied.
    writers   text[],
    -- The events of the segment are gone, and the table is left to be dropped.
    emptied   boolean NOT NULL DEFAULT false,
    -- No longer a partition: settlements of the past.
    detached  boolean NOT NULL DEFAULT false,
    -- Every session was told of the segment a second time: one that reads the list of segments while a segment is made may
    -- keep the old list for good. No position of a segment is drawn before.
    refreshed boolean NOT NULL DEFAULT false,
    PRIMARY KEY (log, first)
);
INSERT INTO ${schema}.segment (log, first, next) VALUES ('event_log', 1, 68719476736), ('settlement', 1, 68719476736);

-- Positions that no event will ever have, because the sequence was moved on (see Segments, Overflow): between the two, both
-- excluded.
CREATE TABLE ${schema}.gap (
    log    text   NOT NULL,
    after  bigint NOT NULL,
    before bigint NOT NULL,
    PRIMARY KEY (log, after)
);
CREATE INDEX gap_before ON ${schema}.gap (log, before);

-- Crash recovery empties this table, because it is unlogged: a node that finds another token, or none, knows that positions
-- and transaction ids may have been handed out a second time.
CREATE UNLOGGED TABLE ${schema}.incarnation (
    one   boolean PRIMARY KEY DEFAULT true CHECK (one),
    token text NOT NULL DEFAULT gen_random_uuid()::text
);

-- Which database cluster this is: cursors are rebased after a restore into another one.
CREATE TABLE ${schema}.cluster (
    one               boolean PRIMARY KEY DEFAULT true CHECK (one),
    system_identifier bigint NOT NULL
);
INSERT INTO ${schema}.cluster (system_identifier) SELECT system_identifier FROM pg_control_system();


-- ==== append =============================================================================================================

-- Every append goes through functions of the owner, so that a role which appends has no right on a table.

-- Blank are the white space of all scripts, spaces that do not break and control characters: in the ranges below, which are
-- those of Character.isSpaceChar and isISOControl.

-- Whether nothing is wrong with an event, by tests that cost little: bytes are counted instead of characters, of keys and
-- tenants the first character alone is looked at, and of names of headers whether each has a visible character of ASCII. A
-- search for one byte costs a quarter of a search for two. The rest is left to require_event. Headers of two bytes are an
-- empty object; headers of 512 bytes without an escape can exceed no limit of their number, names or values.
CREATE FUNCTION ${schema}.is_plain(type text, key text, tenant text, payload_bytes integer, headers text,
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
CREATE FUNCTION ${schema}.require_event(type text, key text, tenant text, payload_bytes integer, headers text,
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

-- Appends one event. pg_relation_is_updatable is called for its lock: a transaction that has appended before takes no lock
-- for its next INSERT, and so does not learn of new segments; the INSERT would then go to the default partition and be
-- refused there. Headers of two bytes are an empty object, and do not count. A plain event has no schedule.
CREATE FUNCTION ${schema}.append_event(id uuid, type text, key text, payload json, headers json, tenant text,
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
        INSERT INTO ${schema}.event_log (id, type, key, payload, headers, tenant, lane, bytes)
        VALUES (id, type, key, payload, coalesce(headers, '{}'), tenant, ${schema}.lane_of(key, id), bytes);
    ELSE
        PERFORM ${schema}.require_event(type, key, tenant, payload_bytes, of_headers, deliver_at, expires_at, priority);
        INSERT INTO ${schema}.event_log (id, type, key, payload, headers, tenant, lane, bytes,
            deliver_at, expires_at, priority)
        VALUES (id, type, key, payload, coalesce(headers, '{}'), tenant, ${schema}.lane_of(key, id), bytes,
            deliver_at, expires_at, priority);
    END IF;
    RETURN id;
END
$$;

-- Appends several events, an array for each column.
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
    INSERT INTO ${schema}.event_log (id, type, key, payload, headers, tenant, lane, bytes,
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
CREATE VIEW ${schema}.outbox AS
    SELECT type, key, payload::text AS payload, headers::text AS headers, tenant, id, position, xid, lane, bytes, appended_at,
        deliver_at, expires_at, priority
    FROM ${schema}.event_log;

CREATE FUNCTION ${schema}.insert_event() RETURNS trigger
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
    INSERT INTO ${schema}.event_log (id, type, key, payload, headers, tenant, lane, bytes, deliver_at, expires_at, priority)
    VALUES (NEW.id, NEW.type, NEW.key, ${schema}.json_of('payload', NEW.payload), NEW.headers::json, NEW.tenant, NEW.lane,
        NEW.bytes, NEW.deliver_at, NEW.expires_at, NEW.priority)
    RETURNING position, xid, appended_at INTO NEW.position, NEW.xid, NEW.appended_at;
    RETURN NEW;
END
$$;
CREATE TRIGGER insert_event INSTEAD OF INSERT ON ${schema}.outbox
    FOR EACH ROW EXECUTE FUNCTION ${schema}.insert_event();


-- ==== nodes, subscriptions, lanes ========================================================================================

CREATE TABLE ${schema}.node (
    id            text PRIMARY KEY,
    lease_until   timestamptz NOT NULL,
    subscriptions text[]      NOT NULL,
    started_at    timestamptz NOT NULL DEFAULT now(),
    draining      boolean     NOT NULL DEFAULT false,
    -- The filters that the node has, by subscription, also of subscriptions for which it stands by.
    filters       jsonb       NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50);

CREATE TABLE ${schema}.subscription (
    name           text PRIMARY KEY,
    filter         text        NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    paused         boolean     NOT NULL DEFAULT false,
    -- When a node was last known to have the filter, beside nodes that have a lease.
    filter_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    filter_before  text,
    -- The cursor with which all lanes began. The first settlements say the same, but those go with time.
    began          bigint      NOT NULL,
    began_snapshot pg_snapshot NOT NULL,
    began_floor    bigint      NOT NULL,
    -- When the form of effects changed: filter_at moves on whenever a node leaves, and with any change of types.
    form_at        timestamptz
);

CREATE TABLE ${schema}.lane (
    subscription text     NOT NULL REFERENCES ${schema}.subscription ON DELETE CASCADE,
    lane         smallint NOT NULL,
    epoch        bigint   NOT NULL DEFAULT 0,
    owner        text,
    takeovers    integer  NOT NULL DEFAULT 0,
    requests     bigint   NOT NULL DEFAULT 0,
    PRIMARY KEY (subscription, lane)
) WITH (fillfactor = 50);

-- Filters that were changed, and how far each lane had come under them. The number is that of the lane's settlement; two
-- changes may follow each other without a settlement in between, and clocks may be set back: the epoch, which each change
-- counts up, is their order. Rows go with the events that they tell of.
CREATE TABLE ${schema}.past_filter (
    subscription text        NOT NULL REFERENCES ${schema}.subscription ON DELETE CASCADE,
    lane         smallint    NOT NULL,
    epoch        bigint      NOT NULL,
    number       bigint      NOT NULL,
    filter       text        NOT NULL,
    reached      bigint      NOT NULL,
    snapshot     pg_snapshot NOT NULL,
    floor        bigint      NOT NULL,
    late_from    bigint,
    late_pinned  pg_snapshot,
    changed_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (subscription, lane, epoch)
);


-- ==== settlements ========================================================================================================

CREATE SEQUENCE ${schema}.settlement_position AS bigint CACHE 1;

-- One small row per settled batch; a lane's cursor is its newest settlement. Rows are never updated but for their seals, and
-- dropped by segment like the log.
CREATE TABLE ${schema}.settlement (
    position      bigint      NOT NULL DEFAULT nextval('${schema}.settlement_position'),
    subscription  text        NOT NULL,
    lane          smallint    NOT NULL,
    epoch         bigint      NOT NULL,
    number        bigint      NOT NULL,
    -- The cursor.
    reached       bigint      NOT NULL,
    snapshot      pg_snapshot NOT NULL,
    bound         xid8        NOT NULL,
    floor         bigint      NOT NULL,
    mark_bound    xid8,
    mark_position bigint,
    late_from     bigint,
    late_pinned   pg_snapshot,
    -- Counts since the lane began.
    delivered     bigint      NOT NULL,
    skipped       bigint      NOT NULL,
    parked        bigint      NOT NULL,
    dead          bigint      NOT NULL,
    expired       bigint      NOT NULL,
    discarded     bigint      NOT NULL,
    settled_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Of each stream of a destination that can lose what it has acknowledged, the last event of the batch and the positions
    -- it stands for, as JSON text; see SealText.
    seals         text
) PARTITION BY RANGE (position);

CREATE INDEX settlement_lane_number ON ${schema}.settlement (subscription, lane, number);
CREATE TABLE ${schema}.settlement_rest PARTITION OF ${schema}.settlement DEFAULT;
CREATE TABLE ${schema}.settlement_1 PARTITION OF ${schema}.settlement FOR VALUES FROM (1) TO (68719476736);

-- Seals that were found to be broken, until the events they stand for are parked. Empty but for the worst days.
CREATE TABLE ${schema}.lost (
    number       bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription text        NOT NULL REFERENCES ${schema}.subscription ON DELETE CASCADE,
    lane         smallint    NOT NULL,
    seal         text        NOT NULL,
    lost_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX lost_lane ON ${schema}.lost (subscription, lane, number);

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

-- A settlement that commits with its effects must not commit when it has written nothing: the lane was lost. The error is
-- of a class that neither PostgreSQL nor SQL uses, so that no error of an application's own is taken for it.
CREATE FUNCTION ${schema}.require_written(settlements bigint) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF settlements = 0 THEN
        RAISE EXCEPTION 'the lane was lost: nothing was settled' USING ERRCODE = 'PR001';
    END IF;
    RETURN settlements;
END
$$;


-- ==== deliveries =========================================================================================================

-- A header by its name, and at most as much of it as an index takes; none where PostgreSQL cannot read the headers, because
-- one has a NUL or half a surrogate pair.
CREATE FUNCTION ${schema}.header(headers json, name text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT
AS $$
BEGIN
    RETURN pg_catalog.left(headers OPERATOR(pg_catalog.->>) name, 512);
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END
$$;

-- A row for an event that did not settle at once.
CREATE TABLE ${schema}.delivery (
    subscription text        NOT NULL REFERENCES ${schema}.subscription ON DELETE CASCADE,
    lane         smallint    NOT NULL,
    position     bigint      NOT NULL,
    id           uuid        NOT NULL,
    type         text        NOT NULL,
    key          text,
    status       text        NOT NULL CHECK (status IN ('ready', 'waiting', 'running', 'dead', 'expired')),
    attempt      integer     NOT NULL,
    due_at       timestamptz NOT NULL,
    suspect      boolean     NOT NULL,
    error        text,
    changed_at   timestamptz NOT NULL DEFAULT now(),
    -- The event itself, once its segment is dropped. Rows that wait for an operator have time, tenant and headers from the
    -- beginning, so that they are found by them.
    payload      json,
    headers      json,
    tenant       text,
    appended_at  timestamptz,
    expires_at   timestamptz,
    priority     smallint,
    -- The node that runs a task, and until when.
    owner        text,
    lease_until  timestamptz,
    -- Dead, and yet its key goes on.
    released     boolean     NOT NULL DEFAULT false,
    -- The last operation that replayed the row.
    operation    bigint,
    -- How often the row was replayed by schedule.
    reprocessed  smallint    NOT NULL DEFAULT 0,
    -- An earlier row of the key comes first. Such a row is found through its key and not by its time. A hint that nothing
    -- rests on; see PostgresPark.
    behind       boolean     NOT NULL DEFAULT false,
    -- The transaction that claimed a task, and the fence of that claim. The attempt would not do: a task that was put back
    -- before its handler ran is claimed again under the same attempt.
    claim        xid8,
    PRIMARY KEY (subscription, lane, position)
) WITH (fillfactor = 70);

-- Pages by status, and one row by its position, however many are dead.
CREATE INDEX delivery_status ON ${schema}.delivery (subscription, status, position);

-- Lanes. Rows in the order in which they are due: those never tried, and those that failed.
CREATE INDEX delivery_front ON ${schema}.delivery (subscription, lane, least(attempt, 1), due_at, position)
    WHERE status = 'waiting' AND NOT behind;
-- Rows that wait behind others, by their keys.
CREATE INDEX delivery_behind ON ${schema}.delivery (subscription, lane, key) WHERE behind;
-- Rows that a lane's owner runs.
CREATE INDEX delivery_running ON ${schema}.delivery (subscription, lane) WHERE status = 'running' AND lease_until IS NULL;
-- Dead rows that may block their keys, lane by lane.
CREATE INDEX delivery_dead ON ${schema}.delivery (subscription, lane, position) WHERE status = 'dead' AND NOT released;
-- Rows that block their keys. Tasks that run have leases, and no order.
CREATE INDEX delivery_blocks ON ${schema}.delivery (subscription, lane, key, position)
    WHERE key IS NOT NULL AND status IN ('waiting', 'running') AND lease_until IS NULL;
-- The row that comes first of a key.
CREATE INDEX delivery_key ON ${schema}.delivery (subscription, key, position)
    WHERE key IS NOT NULL AND status IN ('waiting', 'running', 'dead') AND lease_until IS NULL;

-- Queues. One index for each question, and only over the rows it is about.
CREATE INDEX delivery_ready ON ${schema}.delivery (subscription, priority DESC, position) WHERE status = 'ready';
CREATE INDEX delivery_expiry ON ${schema}.delivery (subscription, expires_at)
    WHERE status IN ('ready', 'waiting') AND expires_at IS NOT NULL;
CREATE INDEX delivery_suspect ON ${schema}.delivery (subscription) WHERE status = 'ready' AND suspect;
CREATE INDEX delivery_due ON ${schema}.delivery (subscription, due_at) WHERE status = 'waiting';
CREATE INDEX delivery_lease ON ${schema}.delivery (subscription, lease_until) WHERE lease_until IS NOT NULL;

-- Operators and retention. Rows that have ended, by when they did; rows whose events the log has dropped; failures by what
-- people know of them.
CREATE INDEX delivery_ended ON ${schema}.delivery (subscription, status, changed_at) WHERE status IN ('dead', 'expired');
CREATE INDEX delivery_operation ON ${schema}.delivery (operation, status) WHERE operation IS NOT NULL;
CREATE INDEX delivery_gone ON ${schema}.delivery (id) WHERE payload IS NOT NULL;
CREATE INDEX delivery_failed ON ${schema}.delivery (appended_at) WHERE status IN ('dead', 'expired');
CREATE INDEX delivery_failed_key ON ${schema}.delivery (key, appended_at) WHERE status IN ('dead', 'expired');
CREATE INDEX delivery_failed_tenant ON ${schema}.delivery (tenant, appended_at) WHERE status IN ('dead', 'expired');
CREATE INDEX delivery_failed_user ON ${schema}.delivery ((${schema}.header(headers, 'userId')), appended_at)
    WHERE status IN ('dead', 'expired');

-- A row for each attempt of an event that has or had a delivery row, by the statements that change those rows. Rows are only
-- inserted; prune deletes those whose events it has dropped.
CREATE TABLE ${schema}.attempt (
    subscription text        NOT NULL,
    position     bigint      NOT NULL,
    attempt      integer     NOT NULL,
    outcome      text        NOT NULL CHECK (outcome IN
        ('retrying', 'lost', 'dead', 'expired', 'delivered', 'skipped', 'replayed', 'discarded')),
    error        text,
    node         text,
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The stack of the exception that led to it, bounded; see Failure.
    stack        text
);
CREATE INDEX attempt_position ON ${schema}.attempt (position);
CREATE INDEX attempt_discarded ON ${schema}.attempt (position, subscription) WHERE outcome = 'discarded';
CREATE INDEX attempt_skipped ON ${schema}.attempt (position, subscription) WHERE outcome = 'skipped';

-- Attempts of the subscriptions that there are: those of a removed one are forgotten by and by, and say nothing about a later
-- subscription of its name.
CREATE VIEW ${schema}.own_attempt AS
SELECT a.*, a.ctid AS place
FROM ${schema}.attempt a JOIN ${schema}.subscription s ON s.name = a.subscription AND a.at >= s.created_at;

-- Dead events of subscriptions that keep them apart from what still waits: each death a row, with what became of it.
CREATE TABLE ${schema}.dead_events (
    number       bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription text        NOT NULL REFERENCES ${schema}.subscription ON DELETE CASCADE,
    lane         smallint    NOT NULL,
    position     bigint      NOT NULL,
    id           uuid        NOT NULL,
    type         text        NOT NULL,
    key          text,
    -- NULL where the event was gone when its row died: such a row moves like any other, and is never dispatched.
    payload      json,
    headers      json        NOT NULL,
    tenant       text,
    appended_at  timestamptz NOT NULL,
    expires_at   timestamptz,
    priority     smallint,
    attempts     integer     NOT NULL,
    error        text,
    died_at      timestamptz NOT NULL,
    -- How often the event was replayed by schedule.
    reprocessed  smallint    NOT NULL DEFAULT 0,
    status       text        NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'replayed', 'discarded')),
    replayed_at  timestamptz,
    replayed_by  text,
    notes        text
);
-- An event may die again after a replay, but is dead once at a time.
CREATE UNIQUE INDEX dead_events_pending ON ${schema}.dead_events (subscription, position) WHERE status = 'pending';
CREATE INDEX dead_events_status ON ${schema}.dead_events (subscription, status, position);
CREATE INDEX dead_events_died ON ${schema}.dead_events (subscription, died_at);
CREATE INDEX dead_events_appended ON ${schema}.dead_events (appended_at) WHERE status = 'pending';
CREATE INDEX dead_events_key ON ${schema}.dead_events (key, appended_at) WHERE status = 'pending';
CREATE INDEX dead_events_tenant ON ${schema}.dead_events (tenant, appended_at) WHERE status = 'pending';
CREATE INDEX dead_events_user ON ${schema}.dead_events ((${schema}.header(headers, 'userId')), appended_at)
    WHERE status = 'pending';
CREATE INDEX dead_events_id ON ${schema}.dead_events (id) WHERE status = 'pending';

-- Delivery rows wherever they are kept.
CREATE VIEW ${schema}.delivery_row AS
SELECT subscription, lane, position, id, type, key, status, attempt, due_at, suspect, error, expires_at, priority,
    payload, headers, tenant, appended_at, changed_at, owner, lease_until, behind
FROM ${schema}.delivery
UNION ALL
SELECT subscription, lane, position, id, type, key, 'dead', attempts, died_at, false, error, expires_at, priority,
    payload, headers, tenant, appended_at, died_at, NULL, NULL, false
FROM ${schema}.dead_events WHERE status = 'pending';

-- What retentions have let go: a row for many events. It outlives its subscription, and so does not refer to it.
CREATE TABLE ${schema}.dropped (
    number        bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription  text        NOT NULL,
    reason        text        NOT NULL CHECK (reason IN ('dead', 'expired')),
    events        bigint      NOT NULL,
    from_position bigint      NOT NULL,
    to_position   bigint      NOT NULL,
    oldest        timestamptz NOT NULL,
    newest        timestamptz NOT NULL,
    dropped_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX dropped_subscription ON ${schema}.dropped (subscription, number);


-- ==== effects and sources ================================================================================================

-- Which events a handler's effect has been committed for: a row for each, written in the transaction of the effect. The
-- bucket follows from the event: the day in the first 48 bits of its id (a UUID of version 7), modulo 16; see BucketRing. So a
-- second row for the same event and handler meets the first in the same bucket, whenever it comes, and a bucket is written on
-- one day and lies still for fifteen. Once all its rows are old it is truncated whole. Ids of other kinds spread over all
-- buckets, and are deleted row by row.
CREATE TABLE ${schema}.processed (
    event   uuid        NOT NULL,
    handler text        NOT NULL,
    bucket  smallint    NOT NULL,
    at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (event, handler, bucket)
) PARTITION BY LIST (bucket);
CREATE INDEX processed_at ON ${schema}.processed (at);

-- What was received from elsewhere: a row for each message, by its source and the id of its event, written by the statement
-- that appends the event. Buckets as above.
CREATE TABLE ${schema}.received (
    source text        NOT NULL,
    event  uuid        NOT NULL,
    bucket smallint    NOT NULL,
    at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (event, source, bucket)
) PARTITION BY LIST (bucket);
CREATE INDEX received_at ON ${schema}.received (at);

DO $$
BEGIN
    FOR bucket IN 0..15 LOOP
        EXECUTE format('CREATE TABLE ${schema}.processed_%1$s PARTITION OF ${schema}.processed FOR VALUES IN (%1$s)', bucket);
        EXECUTE format('CREATE TABLE ${schema}.received_%1$s PARTITION OF ${schema}.received FOR VALUES IN (%1$s)', bucket);
    END LOOP;
END
$$;

-- How many messages came again: a row for each statement that met some, added up now and then. Only inserts beside receivers,
-- so that none of them waits for another.
CREATE TABLE ${schema}.received_again (
    source   text        NOT NULL,
    messages bigint      NOT NULL,
    at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX received_again_source ON ${schema}.received_again (source);

-- Places of which readers have taken messages, see Placed: a row for each transaction that receives some. Only inserts beside
-- receivers, so that none of them waits for another; prune keeps the newest of each reader. at is in nanoseconds since 1970.
CREATE TABLE ${schema}.source_place (
    reader   text   NOT NULL,
    era      bigint NOT NULL,
    at       bigint NOT NULL,
    sequence bigint NOT NULL
);
CREATE INDEX source_place_newest ON ${schema}.source_place (reader, era, at, sequence);


-- ==== decisions of operators =============================================================================================

-- A row is written by the statement that does what the row tells of. No payload, no error, no secret.
CREATE TABLE ${schema}.audit (
    number       bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    who          text        NOT NULL,
    why          text        NOT NULL,
    action       text        NOT NULL,
    subscription text,
    position     bigint,
    event        uuid,
    operation    bigint,
    details      json        NOT NULL DEFAULT '{}',
    -- The id of an edited copy; NULL in entries of other decisions. An entry may go before its event does: the event is then
    -- found in the log.
    copy         uuid
);
CREATE INDEX audit_subscription ON ${schema}.audit (subscription, number);
CREATE INDEX audit_action ON ${schema}.audit (action, number);
CREATE INDEX audit_who ON ${schema}.audit (who, number);
CREATE INDEX audit_event ON ${schema}.audit (event, number) WHERE event IS NOT NULL;
CREATE INDEX audit_operation ON ${schema}.audit (operation, number) WHERE operation IS NOT NULL;
-- Two edits under one id meet here: the second one waits for the first, and is refused once that has committed.
CREATE UNIQUE INDEX audit_copy ON ${schema}.audit (copy) WHERE copy IS NOT NULL;

-- A decision about many events: what it is about, how far it is, and who carries it out. Kept when its subscription goes.
CREATE TABLE ${schema}.operation (
    id                bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind              text        NOT NULL CHECK (kind IN ('replay', 'discard')),
    subscription      text        NOT NULL,
    states            text[]      NOT NULL,
    type              text,
    key               text,
    tenant            text,
    user_id           text,
    correlation_id    text,
    appended_from     timestamptz,
    appended_until    timestamptz,
    error_contains    text,
    reprocessed_below integer,
    per_second        integer     NOT NULL,
    canary            integer     NOT NULL,
    canary_failures   integer     NOT NULL,
    who               text        NOT NULL,
    why               text        NOT NULL,
    state             text        NOT NULL CHECK (
        state IN ('canary', 'running', 'finished', 'cancelled', 'stopped_by_canary', 'failed')),
    started_at        timestamptz NOT NULL DEFAULT now(),
    ended_at          timestamptz,
    total             bigint      NOT NULL,
    -- Everything at or below it has been looked at; nothing above up_to is meant.
    reached           bigint      NOT NULL DEFAULT 0,
    up_to             bigint      NOT NULL,
    done              bigint      NOT NULL DEFAULT 0,
    reasons           text[]      NOT NULL DEFAULT '{}',
    owner             text,
    epoch             bigint      NOT NULL DEFAULT 0,
    lease_until       timestamptz,
    -- Which positions the operation is about, both included.
    from_position     bigint,
    to_position       bigint
) WITH (fillfactor = 50);
CREATE INDEX operation_going_on ON ${schema}.operation (id) WHERE ended_at IS NULL;
CREATE INDEX operation_subscription ON ${schema}.operation (subscription, id);

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

-- Which events an operation has decided about, so that each of them leads to the operator who decided. Rows go with the
-- operation.
CREATE TABLE ${schema}.decided (
    event     uuid   NOT NULL,
    operation bigint NOT NULL,
    PRIMARY KEY (event, operation)
);
CREATE INDEX decided_operation ON ${schema}.decided (operation);

-- When a subscription's dead events were last replayed by schedule.
CREATE TABLE ${schema}.reprocess (
    subscription text        PRIMARY KEY REFERENCES ${schema}.subscription ON DELETE CASCADE,
    ran_at       timestamptz NOT NULL
);


-- ==== filters ============================================================================================================

-- Whether a cursor has come past a visible row.
CREATE FUNCTION ${schema}.handled("position" bigint, xid xid8, reached bigint, snapshot pg_snapshot, floor bigint,
    late_from bigint, late_pinned pg_snapshot) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN position <= floor THEN true
        WHEN position > reached THEN false
        WHEN pg_visible_in_snapshot(xid, snapshot) THEN true
        ELSE coalesce(position <= late_from AND pg_visible_in_snapshot(xid, late_pinned), false)
    END
$$;

-- A subscription's filter as a regular expression over types; see FilterText.
CREATE FUNCTION ${schema}.pattern(filter text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN trim(filter) = '' THEN '' ELSE '^(?:' || replace(replace(replace(replace(
        regexp_replace(trim(filter), '([^\w* ])', '\\\1', 'g'), '**', chr(1)), '*', '[^.]*'), chr(1), '.*'), ' ', '|')
        || ')$' END
$$;

-- Whether no live node has had the stored filter for so long, and no live node has the one before it, unless that is the
-- one that is wanted.
CREATE FUNCTION ${schema}.filter_unheld(subscription text, wanted text, unheld interval) RETURNS boolean
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT EXISTS (
        SELECT FROM ${schema}.subscription s
        WHERE s.name = $1 AND s.filter <> $2 AND s.filter_at <= clock_timestamp() - $3
          AND NOT EXISTS (
              SELECT FROM ${schema}.node n
              WHERE n.filters ->> $1 = s.filter AND n.lease_until > clock_timestamp() - $3)
          AND (s.filter_before IS NOT DISTINCT FROM $2 OR NOT EXISTS (
              SELECT FROM ${schema}.node n
              WHERE n.filters ->> $1 = s.filter_before AND n.lease_until > clock_timestamp())))
$$;

-- Changes a subscription's filter, and takes its lanes away, so that nothing is settled under the old one. One call, because
-- every write of a node is one statement; a function, because each statement in it sees what was settled before it got the
-- locks. With an interval, only where no node has had the stored filter for so long.
CREATE FUNCTION ${schema}.change_filter(subscription text, wanted text, node text, unheld interval DEFAULT NULL,
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
    INSERT INTO ${schema}.past_filter (subscription, lane, epoch, number, filter, reached, snapshot, floor, late_from,
        late_pinned)
    SELECT l.subscription, l.lane, l.epoch, s.number, stored, s.reached, s.snapshot, s.floor, s.late_from, s.late_pinned
    FROM ${schema}.lane l CROSS JOIN LATERAL (
        SELECT * FROM ${schema}.settlement s WHERE s.subscription = l.subscription AND s.lane = l.lane
        ORDER BY s.number DESC LIMIT 1
    ) s
    WHERE l.subscription = $1;
    -- The owner of these lives and can settle them no more: the change took the lane away, so no attempt counts. A row whose
    -- owner fell silent stays as it is, for the next owner to count.
    UPDATE ${schema}.delivery d SET status = 'waiting', attempt = greatest(0, d.attempt - 1), changed_at = now(),
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
        SET status = 'waiting', owner = NULL, lease_until = NULL, claim = NULL, behind = false, changed_at = now()
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

-- Under which filter an event was settled, and whether that took its type: by its last attempt if it had a delivery row;
-- otherwise by the first past filter under which its lane had come past it, or by the present one if there is none.
CREATE FUNCTION ${schema}.judged(subscription text, lane smallint, "position" bigint, xid xid8, type text,
        OUT filter text, OUT taken boolean)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    last record;
BEGIN
    SELECT a.outcome, a.at INTO last
    FROM ${schema}.own_attempt a
    WHERE a.position = $3 AND a.subscription = $1 AND a.outcome IN ('delivered', 'skipped')
    ORDER BY a.at DESC LIMIT 1;
    IF FOUND THEN
        taken := last.outcome = 'delivered';
        SELECT f.filter INTO filter FROM ${schema}.past_filter f
        WHERE f.subscription = $1 AND f.lane = $2 AND f.changed_at > last.at ORDER BY f.epoch LIMIT 1;
    ELSE
        SELECT f.filter INTO filter FROM ${schema}.past_filter f
        WHERE f.subscription = $1 AND f.lane = $2
          AND ${schema}.handled($3, $4, f.reached, f.snapshot, f.floor, f.late_from, f.late_pinned)
        ORDER BY f.epoch LIMIT 1;
    END IF;
    IF filter IS NULL THEN
        SELECT s.filter INTO filter FROM ${schema}.subscription s WHERE s.name = $1;
    END IF;
    taken := coalesce(taken, $5 ~ ${schema}.pattern(filter));
END
$$;

-- Whether a lane that has passed an event took it, and did not skip it: by the filter of then, not of now.
CREATE FUNCTION ${schema}.taken(subscription text, lane smallint, "position" bigint, xid xid8, type text) RETURNS boolean
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT j.taken FROM ${schema}.judged($1, $2, $3, $4, $5) j
$$;


-- ==== events by position =================================================================================================

-- Positions are written into the text of the statements: then PostgreSQL leaves out, and does not lock, other segments when it
-- plans. A plan for any positions would lock them all.
--
-- A statement keeps the locks it takes until its transaction ends: some ten for a segment with its search indexes. A block that
-- is left by an error gives its locks back at once, and the rows and variables of the function stay. So each segment is looked
-- at in a block of its own, which ends with the error PR002. Values are returned whole, by a cast or as parts of a row: one
-- that pointed to the segment's TOAST table could not be read once the segment is emptied. A block that writes nothing needs no
-- transaction id.

-- The events of delivery rows, while the log has them: a statement for each segment that has some.
CREATE FUNCTION ${schema}.events_at(lanes smallint[], positions bigint[]) RETURNS SETOF ${schema}.event_log
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
            WHERE k.log = 'event_log' AND k.first <= w.position ORDER BY k.first DESC LIMIT 1
        ) s ON w.position < s.next
        GROUP BY s.first, s.next
    LOOP
        BEGIN
            RETURN QUERY EXECUTE format('SELECT (o.e).* FROM unnest($1, $2) AS w (lane, position) CROSS JOIN LATERAL (
                    SELECT e FROM ${schema}.event_log e WHERE e.lane = w.lane AND e.position = w.position
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

-- The event of a delivery row, while the log has it.
CREATE FUNCTION ${schema}.event_at(lane smallint, "position" bigint) RETURNS SETOF ${schema}.event_log
    LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF $2 IS NULL THEN
        RETURN;
    END IF;
    BEGIN
        RETURN QUERY EXECUTE format('SELECT (o.e).* FROM (
                SELECT e FROM ${schema}.event_log e WHERE e.lane = $1 AND e.position = %s OFFSET 0
            ) o', $2)
        USING $1;
        RAISE SQLSTATE 'PR002';
    EXCEPTION WHEN SQLSTATE 'PR002' THEN
        NULL;
    END;
END
$$;

-- The payload of a delivery row's event, while the log has it.
CREATE FUNCTION ${schema}.payload_at(lane smallint, "position" bigint) RETURNS json
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
    head  bigint := coalesce(pg_sequence_last_value('${schema}.event_position'), 0);
    low   bigint := greatest($2 + 1, (SELECT min(s.first) FROM ${schema}.segment s
        WHERE s.log = 'event_log' AND NOT s.emptied));
    top   bigint;
    told  integer := 0;
    more  integer;
BEGIN
    FOR looked IN 1..16 LOOP
        EXIT WHEN low > head OR told >= $3;
        SELECT s.next INTO top FROM ${schema}.segment s
        WHERE s.log = 'event_log' AND s.first <= low ORDER BY s.first DESC LIMIT 1;
        IF top IS NULL OR top <= low THEN
            SELECT coalesce(min(s.first), 9223372036854775807) INTO top FROM ${schema}.segment s
            WHERE s.log = 'event_log' AND s.first > low;
        END IF;
        RETURN QUERY EXECUTE format('SELECT o.position, o.appended_at, o.expires_at FROM ${schema}.event_log o
            WHERE o.lane = $1 AND o.position >= %s AND o.position < %s ORDER BY o.position LIMIT $2', low, top)
        USING $1, $3 - told;
        GET DIAGNOSTICS more = ROW_COUNT;
        told := told + more;
        low := top;
    END LOOP;
END
$$;

-- Where the segment with this position ends, exclusive, or the gap between two of them or behind the last.
CREATE FUNCTION ${schema}.segment_end("position" bigint) RETURNS bigint
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ending bigint := (SELECT s.next FROM ${schema}.segment s
        WHERE s.log = 'event_log' AND s.first <= $1 ORDER BY s.first DESC LIMIT 1);
BEGIN
    IF ending > $1 THEN
        RETURN ending;
    END IF;
    RETURN coalesce((SELECT min(s.first) FROM ${schema}.segment s WHERE s.log = 'event_log' AND s.first > $1),
        9223372036854775807);
END
$$;

-- The last position of so many segments, from the one with this position on; the last of all if there are fewer.
CREATE FUNCTION ${schema}.segments_up_to("position" bigint, most integer) RETURNS bigint
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN coalesce((SELECT s.next - 1 FROM ${schema}.segment s
        WHERE s.log = 'event_log' AND NOT s.emptied AND s.first >= coalesce(
            (SELECT max(k.first) FROM ${schema}.segment k WHERE k.log = 'event_log' AND k.first <= $1), 0)
        ORDER BY s.first OFFSET $2 - 1 LIMIT 1), 9223372036854775806);
END
$$;

-- The events of a lane after a position and up to another, by position, segment by segment: at most so many, or all if most is
-- NULL. Without payloads, which no operation about settled events asks for. The locks stay until the statement commits.
CREATE FUNCTION ${schema}.events_between(lane smallint, after bigint, up_to bigint, most bigint)
    RETURNS TABLE (lane_number smallint, "position" bigint, xid xid8, id uuid, type text, key text, headers json,
        tenant text, appended_at timestamptz, deliver_at timestamptz, priority smallint)
    LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    low  bigint := greatest($2 + 1, (SELECT min(s.first) FROM ${schema}.segment s
        WHERE s.log = 'event_log' AND NOT s.emptied));
    top  bigint;
    told bigint := 0;
    more bigint;
BEGIN
    WHILE low <= $3 LOOP
        top := least(${schema}.segment_end(low), $3 + 1);
        RETURN QUERY EXECUTE format('SELECT o.lane, o.position, o.xid, o.id, o.type, o.key, o.headers, o.tenant,
                o.appended_at, o.deliver_at, o.priority
            FROM ${schema}.event_log o
            WHERE o.lane = $1 AND o.position >= %s AND o.position < %s ORDER BY o.position LIMIT $2', low, top)
        USING $1, $4 - told;
        GET DIAGNOSTICS more = ROW_COUNT;
        told := told + more;
        EXIT WHEN told >= $4;
        low := top;
    END LOOP;
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
        WHERE s.log = 'event_log' AND NOT s.emptied));
    top  bigint;
BEGIN
    WHILE low <= $3 LOOP
        top := least(${schema}.segment_end(low), $3 + 1);
        BEGIN
            RETURN QUERY EXECUTE format('SELECT o.lane, o.position, o.xid, o.id, o.type || '''', o.key || '''',
                    o.headers::text::json, o.tenant || '''', o.appended_at, o.deliver_at, o.priority
                FROM ${schema}.event_log o
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

-- The first event of some lanes from a position up to another, exclusive, or the last. For a range within one segment.
CREATE FUNCTION ${schema}.outermost(lanes smallint[], low bigint, top bigint, last boolean,
    OUT "position" bigint, OUT appended_at timestamptz)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    direction text := CASE WHEN $4 THEN 'DESC' ELSE 'ASC' END;
BEGIN
    EXECUTE format('SELECT o.position, o.appended_at FROM unnest($1) AS l (lane) CROSS JOIN LATERAL (
            SELECT e.position, e.appended_at FROM ${schema}.event_log e
            WHERE e.lane = l.lane AND e.position >= %1$s AND e.position < %2$s ORDER BY e.position %3$s LIMIT 1
        ) o ORDER BY o.position %3$s LIMIT 1', $2, $3, direction)
    INTO $5, $6 USING $1;
    RAISE SQLSTATE 'PR002';
EXCEPTION WHEN SQLSTATE 'PR002' THEN
    NULL;
END
$$;

-- Of these segments, which follow each other and the last of which ends with a position, the last one that begins before a
-- time; the first if none does. By halving, with the events of all lanes: nearly every segment has some.
CREATE FUNCTION ${schema}.segment_at(firsts bigint[], ending bigint, at timestamptz) RETURNS integer
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    lanes  smallint[] := ARRAY(SELECT n::smallint FROM generate_series(0, ${lanes} - 1) AS n);
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

-- Where the events of a lane begin that are not older than a time, as far as times go by positions: first the segment, then
-- the position in it.
CREATE FUNCTION ${schema}.position_at(lane smallint, at timestamptz) RETURNS bigint
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ending  bigint := coalesce(pg_sequence_last_value('${schema}.event_position'), 0) + 1;
    firsts  bigint[] := ARRAY(SELECT s.first FROM ${schema}.segment s
        WHERE s.log = 'event_log' AND NOT s.emptied AND s.first < ending ORDER BY s.first);
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


-- ==== when an event was settled ==========================================================================================

-- By the first settlement of its lane that had come past it. One segment does not tell that alone, so there are these answers:
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

-- By the last attempt, or from the segments that are not of the past, taken as one. Each settlement goes further than the one
-- before, so the event is looked for where it should be if all went equally far, and after some such steps by halving.
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

-- From both, the segments of the past from the newest back and a limited number of them. NULL where that has been pruned.
CREATE FUNCTION ${schema}.settled_at(subscription text, lane smallint, "position" bigint, xid xid8)
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

-- How many attempts a delivered event needed.
CREATE FUNCTION ${schema}.attempts(subscription text, "position" bigint) RETURNS integer
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN coalesce((SELECT max(a.attempt) FROM ${schema}.attempt a
        WHERE a.position = $2 AND a.subscription = $1 AND a.outcome = 'delivered'), 1);
END
$$;


-- ==== seals of the past ==================================================================================================

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


-- ==== where every event stands ===========================================================================================

-- How far the lanes of subscriptions are, what those take, and where they began: all of them, or of one subscription, or one
-- lane. A function, because its plan is kept, and it is in many queries.
CREATE FUNCTION ${schema}.cursors(only_subscription text DEFAULT NULL, only_lane smallint DEFAULT NULL)
    RETURNS TABLE (subscription text, lane smallint, pattern text, reached bigint, snapshot pg_snapshot, bound xid8,
        floor bigint, late_from bigint, late_pinned pg_snapshot, began bigint, began_snapshot pg_snapshot,
        began_floor bigint)
    LANGUAGE plpgsql STABLE ROWS ${lanes} SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT l.subscription, l.lane, ${schema}.pattern(u.filter), s.reached, s.snapshot, s.bound, s.floor, s.late_from,
        s.late_pinned, u.began, u.began_snapshot, u.began_floor
    FROM ${schema}.subscription u JOIN ${schema}.lane l ON l.subscription = u.name
    CROSS JOIN LATERAL (
        SELECT * FROM ${schema}.settlement s WHERE s.subscription = l.subscription AND s.lane = l.lane
        ORDER BY s.number DESC LIMIT 1
    ) s
    WHERE (only_subscription IS NULL OR u.name = only_subscription) AND (only_lane IS NULL OR l.lane = only_lane);
END
$$;

-- Cursors, and the position above which no past filter was in force; NULL where there is none.
CREATE FUNCTION ${schema}.cursors_and_filters(only_subscription text DEFAULT NULL, only_lane smallint DEFAULT NULL)
    RETURNS TABLE (subscription text, lane smallint, pattern text, reached bigint, snapshot pg_snapshot, bound xid8,
        floor bigint, late_from bigint, late_pinned pg_snapshot, began bigint, began_snapshot pg_snapshot,
        began_floor bigint, changed_to bigint)
    LANGUAGE plpgsql STABLE ROWS ${lanes} SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT c.*, (SELECT max(f.reached) FROM ${schema}.past_filter f
        WHERE f.subscription = c.subscription AND f.lane = c.lane)
    FROM ${schema}.cursors(only_subscription, only_lane) c;
END
$$;

-- Events that a lane has passed because their transactions were open, found as in PostgresRead.
CREATE FUNCTION ${schema}.late_events(lane smallint, reached bigint, snapshot pg_snapshot, bound xid8, floor bigint,
    late_from bigint, late_pinned pg_snapshot) RETURNS SETOF ${schema}.event_log
    LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT o.* FROM (
        SELECT e.* FROM pg_snapshot_xip($3) AS held (xid) CROSS JOIN LATERAL (
            SELECT * FROM ${schema}.event_log e WHERE e.lane = $1 AND e.position > $5 AND e.position + 0 <= $2
              AND e.xid = held.xid
            OFFSET 0
        ) e
        UNION ALL
        SELECT e.* FROM ${schema}.event_log e WHERE e.lane = $1 AND e.position > $5 AND e.position + 0 <= $2
          AND e.xid >= pg_snapshot_xmax($3) AND e.xid < $4
    ) o
    WHERE NOT coalesce(o.position <= $6 AND pg_visible_in_snapshot(o.xid, $7), false);
END
$$;

-- Events that a lane has not come to. A function in SQL, because one of those hands its rows on one by one, and with a
-- number of rows that keeps the planner from taking a third of the log for pending.
CREATE FUNCTION ${schema}.fresh_events(lane smallint, reached bigint) RETURNS SETOF ${schema}.event_log
    LANGUAGE sql STABLE ROWS 10
AS $$
    SELECT * FROM ${schema}.event_log e WHERE e.lane = $1 AND e.position > $2 ORDER BY e.position
$$;

-- What was delivered, to whom. A join and no more, so that it is fast in every order that an index has.
CREATE VIEW ${schema}.event_delivered AS
SELECT c.subscription, o.position, o.id, o.type, o.key, o.tenant, ${schema}.header(o.headers, 'userId') AS user_id,
    o.headers, o.payload, o.appended_at, o.expires_at, o.lane, o.xid,
    ${schema}.settled_at(c.subscription, o.lane, o.position, o.xid) AS settled_at
FROM ${schema}.event_log o JOIN ${schema}.cursors_and_filters() c ON c.lane = o.lane
-- The comparisons with numbers tell the planner that nearly everything matches, as it does.
WHERE CASE WHEN ${schema}.handled(o.position, o.xid, c.reached, c.snapshot, c.floor, c.late_from, c.late_pinned)
           THEN 1 ELSE 0 END <> 0
  AND CASE WHEN c.changed_to IS NULL OR o.position > c.changed_to THEN CASE WHEN o.type ~ c.pattern THEN 1 ELSE 0 END
           WHEN ${schema}.taken(c.subscription, o.lane, o.position, o.xid, o.type) THEN 1 ELSE 0 END <> 0
  AND CASE WHEN ${schema}.handled(o.position, o.xid, c.began, c.began_snapshot, c.began_floor, NULL, NULL)
           THEN 1 ELSE 0 END <> 1
  AND NOT EXISTS (SELECT FROM ${schema}.delivery d
      WHERE d.subscription = c.subscription AND d.lane = o.lane AND d.position = o.position)
  AND NOT EXISTS (SELECT FROM ${schema}.dead_events e
      WHERE e.subscription = c.subscription AND e.position = o.position AND e.status = 'pending')
  AND NOT EXISTS (SELECT FROM ${schema}.own_attempt a
      WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome = 'discarded')
  AND CASE WHEN coalesce(${schema}.header(o.headers, 'onlyFor'), c.subscription) = c.subscription THEN 1 ELSE 0 END <> 0
  AND NOT EXISTS (SELECT FROM ${schema}.own_attempt a
      WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome = 'skipped'
        AND NOT EXISTS (SELECT FROM ${schema}.own_attempt b
            WHERE b.position = a.position AND b.subscription = a.subscription AND b.outcome = 'delivered' AND b.at > a.at));
COMMENT ON VIEW ${schema}.event_delivered IS
    'A row for each event and subscription to which it was delivered. Ask with ORDER BY appended_at DESC and a LIMIT.';

-- Passed over under a past filter although the present one takes it, which is not looked for where no filter was ever changed;
-- and skipped by an attempt: by the destination, or as a waiting event that the filter of then did not take.
CREATE VIEW ${schema}.event_skipped AS
SELECT c.subscription, o.position, o.id, o.type, o.key, o.tenant, ${schema}.header(o.headers, 'userId') AS user_id,
    o.headers, o.payload, o.appended_at, o.expires_at, o.lane, o.xid, j.filter
FROM ${schema}.event_log o JOIN ${schema}.cursors_and_filters() c ON c.lane = o.lane AND o.position <= c.changed_to
CROSS JOIN LATERAL ${schema}.judged(c.subscription, o.lane, o.position, o.xid, o.type) j
WHERE EXISTS (SELECT FROM ${schema}.past_filter)
  AND ${schema}.handled(o.position, o.xid, c.reached, c.snapshot, c.floor, c.late_from, c.late_pinned)
  AND o.type ~ c.pattern AND NOT j.taken
  AND coalesce(${schema}.header(o.headers, 'onlyFor'), c.subscription) = c.subscription
  AND ${schema}.handled(o.position, o.xid, c.began, c.began_snapshot, c.began_floor, NULL, NULL) IS NOT TRUE
  AND NOT EXISTS (SELECT FROM ${schema}.delivery d
      WHERE d.subscription = c.subscription AND d.lane = o.lane AND d.position = o.position)
  AND NOT EXISTS (SELECT FROM ${schema}.dead_events e
      WHERE e.subscription = c.subscription AND e.position = o.position AND e.status = 'pending')
  AND NOT EXISTS (SELECT FROM ${schema}.own_attempt a
      WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome IN ('discarded', 'skipped'))
UNION ALL
SELECT c.subscription, o.position, o.id, o.type, o.key, o.tenant, ${schema}.header(o.headers, 'userId') AS user_id,
    o.headers, o.payload, o.appended_at, o.expires_at, o.lane, o.xid,
    CASE WHEN NOT o.type ~ ${schema}.pattern(j.filter) THEN j.filter END
FROM ${schema}.own_attempt s JOIN ${schema}.event_log o ON o.position = s.position
JOIN ${schema}.cursors_and_filters() c ON c.subscription = s.subscription AND c.lane = o.lane
CROSS JOIN LATERAL ${schema}.judged(c.subscription, o.lane, o.position, o.xid, o.type) j
WHERE s.outcome = 'skipped'
  AND NOT EXISTS (SELECT FROM ${schema}.own_attempt b
      WHERE b.position = s.position AND b.subscription = s.subscription
        AND (b.outcome = 'delivered' OR b.outcome = 'skipped') AND (b.at, b.place) > (s.at, s.place))
  AND ${schema}.handled(o.position, o.xid, c.reached, c.snapshot, c.floor, c.late_from, c.late_pinned)
  AND NOT EXISTS (SELECT FROM ${schema}.delivery d
      WHERE d.subscription = c.subscription AND d.lane = o.lane AND d.position = o.position)
  AND NOT EXISTS (SELECT FROM ${schema}.dead_events e
      WHERE e.subscription = c.subscription AND e.position = o.position AND e.status = 'pending')
  AND NOT EXISTS (SELECT FROM ${schema}.own_attempt a
      WHERE a.position = o.position AND a.subscription = c.subscription AND a.outcome = 'discarded');
COMMENT ON VIEW ${schema}.event_skipped IS
    'A row for each event and subscription that skipped it: its filter takes the event now, and did not when the event''s lane '
    'passed it; or the event waited and was skipped after its filter had changed (filter is the one of then in both cases); or '
    'its destination skipped the event (filter is NULL).';

-- A row for each event in each subscription that takes it. Every branch has one standing, so that those which are not
-- asked for need not be looked at. With a LIMIT, the order within branches makes those of one standing come newest first,
-- and no more be read than is shown. When a delivered event was settled is not here, but around it, where only what is
-- shown is asked for.
CREATE VIEW ${schema}.event_standing AS
(
    SELECT e.subscription, e.position, e.id, e.type, e.key, e.tenant, e.user_id, e.headers, e.payload,
        'delivered'::text AS standing, NULL::integer AS attempt, NULL::timestamptz AS due_at, e.appended_at,
        e.expires_at, NULL::text AS error, e.lane, e.xid
    FROM ${schema}.event_delivered e ORDER BY e.appended_at DESC
)
UNION ALL
SELECT p.subscription, (p.o).position, (p.o).id, (p.o).type, (p.o).key, (p.o).tenant,
    ${schema}.header((p.o).headers, 'userId'), (p.o).headers, (p.o).payload, 'pending', 0,
    coalesce((p.o).deliver_at, (p.o).appended_at), (p.o).appended_at, (p.o).expires_at, NULL, (p.o).lane, (p.o).xid
FROM (SELECT c.subscription, c.pattern, ${schema}.fresh_events(c.lane, c.reached) AS o FROM ${schema}.cursors() c) p
WHERE (p.o).type ~ p.pattern
  AND coalesce(${schema}.header((p.o).headers, 'onlyFor'), p.subscription) = p.subscription
UNION ALL
SELECT c.subscription, o.position, o.id, o.type, o.key, o.tenant, ${schema}.header(o.headers, 'userId'),
    o.headers, o.payload, 'pending', 0, coalesce(o.deliver_at, o.appended_at), o.appended_at, o.expires_at, NULL,
    o.lane, o.xid
FROM ${schema}.cursors() c CROSS JOIN LATERAL ${schema}.late_events(
    c.lane, c.reached, c.snapshot, c.bound, c.floor, c.late_from, c.late_pinned) o
WHERE c.floor < c.reached AND o.type ~ c.pattern
  AND coalesce(${schema}.header(o.headers, 'onlyFor'), c.subscription) = c.subscription
  AND (pg_snapshot_xmin(c.snapshot) < pg_snapshot_xmax(c.snapshot) OR pg_snapshot_xmax(c.snapshot) < c.bound)
UNION ALL
SELECT d.subscription, d.position, d.id, d.type, d.key, coalesce(d.tenant, o.tenant),
    ${schema}.header(coalesce(d.headers, o.headers), 'userId'), coalesce(d.headers, o.headers),
    coalesce(d.payload, o.payload), 'waiting', d.attempt, d.due_at, coalesce(d.appended_at, o.appended_at),
    d.expires_at, d.error, d.lane, NULL
FROM ${schema}.subscription s JOIN ${schema}.delivery d ON d.subscription = s.name AND d.status IN ('ready', 'waiting')
LEFT JOIN LATERAL ${schema}.event_at(d.lane, d.position) o ON d.payload IS NULL
UNION ALL
SELECT d.subscription, d.position, d.id, d.type, d.key, coalesce(d.tenant, o.tenant),
    ${schema}.header(coalesce(d.headers, o.headers), 'userId'), coalesce(d.headers, o.headers),
    coalesce(d.payload, o.payload), 'running', d.attempt, d.due_at, coalesce(d.appended_at, o.appended_at),
    d.expires_at, d.error, d.lane, NULL
FROM ${schema}.subscription s JOIN ${schema}.delivery d ON d.subscription = s.name AND d.status = 'running'
LEFT JOIN LATERAL ${schema}.event_at(d.lane, d.position) o ON d.payload IS NULL
UNION ALL
(
    SELECT d.subscription, d.position, d.id, d.type, d.key, d.tenant, ${schema}.header(d.headers, 'userId'),
        d.headers, coalesce(d.payload, ${schema}.payload_at(d.lane, d.position)), 'dead', d.attempt, NULL,
        d.appended_at, d.expires_at, d.error, d.lane, NULL
    FROM ${schema}.delivery d WHERE d.status = 'dead' ORDER BY d.appended_at DESC
)
UNION ALL
(
    SELECT e.subscription, e.position, e.id, e.type, e.key, e.tenant, ${schema}.header(e.headers, 'userId'),
        e.headers, e.payload, 'dead', e.attempts, NULL, e.appended_at, e.expires_at, e.error, e.lane, NULL
    FROM ${schema}.dead_events e WHERE e.status = 'pending' ORDER BY e.appended_at DESC
)
UNION ALL
(
    SELECT d.subscription, d.position, d.id, d.type, d.key, d.tenant, ${schema}.header(d.headers, 'userId'),
        d.headers, coalesce(d.payload, ${schema}.payload_at(d.lane, d.position)), 'expired', d.attempt, NULL,
        d.appended_at, d.expires_at, d.error, d.lane, NULL
    FROM ${schema}.delivery d WHERE d.status = 'expired' ORDER BY d.appended_at DESC
)
UNION ALL
SELECT e.subscription, e.position, e.id, e.type, e.key, e.tenant, e.user_id, e.headers, e.payload, 'skipped', 0, NULL,
    e.appended_at, e.expires_at, coalesce('skipped under the filter ''' || e.filter || '''', 'skipped by its destination'),
    e.lane, e.xid
FROM ${schema}.event_skipped e;
COMMENT ON VIEW ${schema}.event_standing IS
    'Where every event stands, a row for each event in each subscription whose filter takes it, or took it when its lane '
    'passed it: delivered, pending (in the log, not yet come to), waiting (parked until due_at), running, dead, expired, '
    'skipped (by another filter of then, or by its destination). Discarded events have no row, and events that are for another '
    'subscription alone (header onlyFor) have none.';

-- The shapes that others know.
CREATE VIEW ${schema}.event_outbox AS
SELECT id,
    coalesce(${schema}.header(headers, 'aggregateType'), split_part(type, '.', 1)) AS aggregate_type,
    key AS aggregate_id, tenant AS project_id, user_id, type AS event_type, payload,
    CASE standing WHEN 'delivered' THEN 'published' WHEN 'dead' THEN 'failed' WHEN 'expired' THEN 'failed'
        WHEN 'skipped' THEN 'skipped' ELSE 'pending' END AS status,
    CASE standing WHEN 'delivered' THEN ${schema}.attempts(subscription, position) - 1
        WHEN 'running' THEN greatest(attempt - 1, 0) ELSE attempt END AS retry_count,
    due_at AS next_retry_at, appended_at AS created_at,
    CASE standing WHEN 'delivered' THEN ${schema}.settled_at(subscription, lane, position, xid) END AS published_at,
    error AS last_error,
    subscription, position
FROM ${schema}.event_standing;
COMMENT ON VIEW ${schema}.event_outbox IS
    'A row for each event in each subscription whose filter takes it. status: pending, published, failed (dead or expired), '
    'skipped (by another filter of then, or by its destination: last_error says which). '
    'aggregate_id is the key, aggregate_type the header aggregateType or what precedes the first dot of the type, '
    'project_id the tenant, user_id the header userId. Ask with a status and a LIMIT: rows of one status come newest first.';

CREATE VIEW ${schema}.outbox_events AS
SELECT id,
    coalesce(${schema}.header(headers, 'stream'), split_part(type, '.', 1)) AS stream,
    type AS topic, payload, appended_at AS created_at,
    CASE standing WHEN 'delivered' THEN true ELSE false END AS processed,
    CASE standing WHEN 'delivered' THEN ${schema}.settled_at(subscription, lane, position, xid) END AS processed_at, error,
    subscription, key, position
FROM ${schema}.event_standing;
COMMENT ON VIEW ${schema}.outbox_events IS
    'A row for each event in each subscription whose filter takes it. topic is the type, stream the header stream or what '
    'precedes the first dot of the type; not processed and with an error: it failed, or was skipped. Ask with a LIMIT: what is '
    'processed comes newest first.';

CREATE VIEW ${schema}.event_handling AS
SELECT id, type AS event_name, payload,
    CASE standing WHEN 'delivered' THEN 'processed' WHEN 'running' THEN 'processing' WHEN 'dead' THEN 'failed'
        WHEN 'expired' THEN 'failed' WHEN 'skipped' THEN 'skipped' ELSE 'pending' END AS status,
    CASE standing WHEN 'delivered' THEN ${schema}.attempts(subscription, position) ELSE attempt END AS attempt,
    NULL::integer AS max_attempts, key AS group_id, appended_at AS created_at,
    CASE standing WHEN 'delivered' THEN ${schema}.settled_at(subscription, lane, position, xid) END AS processed_at,
    expires_at AS expired_at, error AS last_error, headers AS metadata, subscription, position
FROM ${schema}.event_standing;
COMMENT ON VIEW ${schema}.event_handling IS
    'A row for each event in each subscription whose filter takes it. status: pending, processing, processed, failed (dead '
    'or expired), skipped (its lane passed it under another filter, which last_error names). max_attempts is in the code of '
    'the handlers, not here. Ask with a status and a LIMIT: rows of one status come newest first.';


-- ==== rights =============================================================================================================

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
    EXECUTE format('GRANT EXECUTE ON FUNCTION ${schema}.append_event, ${schema}.append_events, ${schema}.json_of, '
        '${schema}.lanes TO %I', role);
    EXECUTE format('GRANT INSERT (type, key, payload, headers, tenant, id, deliver_at, expires_at, priority) '
        'ON ${schema}.outbox TO %I', role);
END
$$;

-- Lets a role read the tables and views, and do nothing else. Views call functions with the rights of whoever reads them, so
-- these are granted as well: all that write nothing, which PostgreSQL holds functions to that are not volatile.
CREATE FUNCTION ${schema}.grant_read(role name) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one regprocedure;
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA ${schema} TO %I', role);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO %I', role);
    EXECUTE format('GRANT SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO %I', role);
    FOR one IN SELECT oid FROM pg_proc WHERE pronamespace = '${schema}'::regnamespace AND provolatile <> 'v' LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', one, role);
    END LOOP;
END
$$;

-- Lets a role run nodes. They make and drop segments, which PostgreSQL allows the owner of a table alone: so the role
-- becomes a member of the owner.
CREATE FUNCTION ${schema}.grant_engine(role name) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    owner name := (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = '${schema}.event_log'::regclass);
BEGIN
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = owner) THEN
        RAISE object_not_in_prerequisite_state USING MESSAGE = format(
            'the schema ${schema} belongs to %I, a superuser, and a role that runs nodes would become one: let the schema '
            'belong to a role of its own', owner);
    END IF;
    EXECUTE format('GRANT %I TO %I', owner, role);
EXCEPTION WHEN insufficient_privilege THEN
    RAISE insufficient_privilege USING MESSAGE = SQLERRM, HINT = format(
        'Nodes run as members of the schema''s owner. An administrator grants that: GRANT %I TO %I', owner, role);
END
$$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${schema} FROM PUBLIC;
