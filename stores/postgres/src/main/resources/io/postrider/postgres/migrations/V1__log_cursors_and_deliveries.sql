-- The log, its cursors and its deliveries. ${schema} is the schema of this installation, ${segment} the number of
-- positions in a segment. This file is immutable: what changes later is a migration of its own.

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

-- ---- the log ----------------------------------------------------------------------------------------------------------

-- CACHE 1: a session that kept numbers back would draw small positions late.
CREATE SEQUENCE ${schema}.outbox_position AS bigint CACHE 1;

-- No generated columns, CHECK constraints or triggers: PostgreSQL prepares their expressions anew for every statement, at
-- more than the price of the whole INSERT. Who writes here has checked already, or comes through the view below.
CREATE TABLE ${schema}.outbox_log (
    -- The CASE assigns the transaction's id before the position is drawn; the reader's proof rests on it.
    position    bigint      NOT NULL DEFAULT
        CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('${schema}.outbox_position') END,
    xid         xid8        NOT NULL DEFAULT pg_current_xact_id(),
    id          uuid        NOT NULL,
    type        text        NOT NULL,
    key         text,
    payload     json        NOT NULL,
    headers     json        NOT NULL,
    tenant      text,
    appended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    lane        smallint    NOT NULL,
    bytes       integer     NOT NULL
) PARTITION BY RANGE (position);

CREATE INDEX outbox_lane_position ON ${schema}.outbox_log (lane, position);
CREATE INDEX outbox_lane_xid ON ${schema}.outbox_log (lane, xid);

-- An append never fails for want of a segment: what finds none goes here.
CREATE TABLE ${schema}.outbox_log_rest PARTITION OF ${schema}.outbox_log DEFAULT;
CREATE TABLE ${schema}.outbox_log_1 PARTITION OF ${schema}.outbox_log FOR VALUES FROM (1) TO (1 + ${segment});

-- The lane of a key, or of the id where there is none: the same in every language, see Lane.of.
CREATE FUNCTION ${schema}.lane_of(key text, id uuid) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT (('x' || substr(md5(coalesce(key, id::text)), 1, 4))::bit(16)::int % 16)::smallint
$$;

-- The outbox as people see it and other languages insert into it.
CREATE VIEW ${schema}.outbox AS
    SELECT type, key, payload, headers, tenant, id, position, xid, lane, bytes, appended_at FROM ${schema}.outbox_log;
ALTER VIEW ${schema}.outbox ALTER COLUMN id SET DEFAULT ${schema}.draw_id();
ALTER VIEW ${schema}.outbox ALTER COLUMN headers SET DEFAULT '{}';

CREATE FUNCTION ${schema}.outbox_append() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
BEGIN
    IF NEW.position IS NOT NULL OR NEW.xid IS NOT NULL OR NEW.lane IS NOT NULL THEN
        RAISE check_violation USING MESSAGE = 'an event''s position, xid and lane are assigned by the log';
    END IF;
    IF coalesce(length(NEW.type), 0) NOT BETWEEN 1 AND 255 THEN
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

CREATE TRIGGER outbox_append INSTEAD OF INSERT ON ${schema}.outbox
    FOR EACH ROW EXECUTE FUNCTION ${schema}.outbox_append();

-- The append of every other language. Callers need no more than the right to execute it.
CREATE FUNCTION ${schema}.append(
    type    text,
    payload json,
    key     text DEFAULT NULL,
    headers json DEFAULT '{}',
    tenant  text DEFAULT NULL,
    id      uuid DEFAULT NULL
) RETURNS uuid
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog
AS $$
    INSERT INTO ${schema}.outbox (id, type, key, payload, headers, tenant)
    VALUES (coalesce(append.id, ${schema}.draw_id()), append.type, append.key, append.payload, append.headers, append.tenant)
    RETURNING outbox.id
$$;

-- ---- nodes, subscriptions, lanes ----------------------------------------------------------------------------------------

-- Emptied by crash recovery, because it is unlogged: whoever finds another token, or none, knows that positions and
-- transaction ids may have been handed out a second time.
CREATE UNLOGGED TABLE ${schema}.incarnation (
    one   boolean PRIMARY KEY DEFAULT true CHECK (one),
    token text NOT NULL DEFAULT gen_random_uuid()::text
);

-- Which database cluster this is; a restore into another one has to rebase its cursors.
CREATE TABLE ${schema}.cluster (
    one               boolean PRIMARY KEY DEFAULT true CHECK (one),
    system_identifier bigint NOT NULL
);
INSERT INTO ${schema}.cluster (system_identifier) SELECT system_identifier FROM pg_control_system();

CREATE TABLE ${schema}.node (
    id            text PRIMARY KEY,
    lease_until   timestamptz NOT NULL,
    subscriptions text[] NOT NULL,
    started_at    timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

CREATE TABLE ${schema}.subscription (
    name       text PRIMARY KEY,
    log        text NOT NULL DEFAULT 'outbox',
    filter     text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
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

-- ---- settlements ----------------------------------------------------------------------------------------------------------

CREATE SEQUENCE ${schema}.settlement_position AS bigint CACHE 1;

-- One small row per settled batch; a lane's cursor is its newest. Never updated, dropped by segment like the log.
CREATE TABLE ${schema}.settlement (
    position      bigint      NOT NULL DEFAULT nextval('${schema}.settlement_position'),
    subscription  text        NOT NULL,
    lane          smallint    NOT NULL,
    epoch         bigint      NOT NULL,
    number        bigint      NOT NULL,
    reached       bigint      NOT NULL,
    snapshot      pg_snapshot NOT NULL,
    bound         xid8        NOT NULL,
    floor         bigint      NOT NULL,
    mark_bound    xid8,
    mark_position bigint,
    late_from     bigint,
    late_pinned   pg_snapshot,
    delivered     bigint      NOT NULL,
    skipped       bigint      NOT NULL,
    parked        bigint      NOT NULL,
    dead          bigint      NOT NULL,
    expired       bigint      NOT NULL,
    discarded     bigint      NOT NULL,
    settled_at    timestamptz NOT NULL DEFAULT clock_timestamp()
) PARTITION BY RANGE (position);

CREATE INDEX settlement_lane_number ON ${schema}.settlement (subscription, lane, number);
CREATE TABLE ${schema}.settlement_rest PARTITION OF ${schema}.settlement DEFAULT;
CREATE TABLE ${schema}.settlement_1 PARTITION OF ${schema}.settlement FOR VALUES FROM (1) TO (1 + ${segment});

-- ---- deliveries -----------------------------------------------------------------------------------------------------------

-- A row for an event that did not settle at once. The last four columns are filled when the event's segment is dropped.
CREATE TABLE ${schema}.delivery (
    subscription text        NOT NULL REFERENCES ${schema}.subscription ON DELETE CASCADE,
    lane         smallint    NOT NULL,
    position     bigint      NOT NULL,
    id           uuid        NOT NULL,
    type         text        NOT NULL,
    key          text,
    status       text        NOT NULL CHECK (status IN ('retrying', 'running', 'dead', 'discarded')),
    attempt      integer     NOT NULL,
    due_at       timestamptz NOT NULL,
    suspect      boolean     NOT NULL,
    error        text,
    changed_at   timestamptz NOT NULL DEFAULT now(),
    payload      json,
    headers      json,
    tenant       text,
    appended_at  timestamptz,
    PRIMARY KEY (subscription, lane, position)
) WITH (fillfactor = 70);
