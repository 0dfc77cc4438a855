-- What operators decide, and the record of it. This file is immutable: what changes later is a migration of its own.

-- ---- audit ------------------------------------------------------------------------------------------------------------

-- Written by the statement that does what it tells of. No payload, no error, no secret.
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
    details      json        NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_subscription ON ${schema}.audit (subscription, number);
CREATE INDEX audit_action ON ${schema}.audit (action, number);
CREATE INDEX audit_who ON ${schema}.audit (who, number);
CREATE INDEX audit_event ON ${schema}.audit (event, number) WHERE event IS NOT NULL;
CREATE INDEX audit_operation ON ${schema}.audit (operation, number) WHERE operation IS NOT NULL;

-- ---- subscriptions and nodes ------------------------------------------------------------------------------------------

ALTER TABLE ${schema}.subscription ADD COLUMN paused boolean NOT NULL DEFAULT false;
ALTER TABLE ${schema}.node ADD COLUMN draining boolean NOT NULL DEFAULT false;

-- ---- operations -------------------------------------------------------------------------------------------------------

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
    lease_until       timestamptz
) WITH (fillfactor = 50);
CREATE INDEX operation_going_on ON ${schema}.operation (id) WHERE ended_at IS NULL;
CREATE INDEX operation_subscription ON ${schema}.operation (subscription, id);

-- Which events an operation has decided about, so that each of them leads to who decided.
CREATE TABLE ${schema}.decided (
    event     uuid   NOT NULL,
    operation bigint NOT NULL,
    PRIMARY KEY (event, operation)
);

-- When a subscription's dead events were last replayed by schedule.
CREATE TABLE ${schema}.reprocess (
    subscription text        PRIMARY KEY REFERENCES ${schema}.subscription ON DELETE CASCADE,
    ran_at       timestamptz NOT NULL
);

-- ---- deliveries -------------------------------------------------------------------------------------------------------

-- released: dead, and yet its key goes on. operation: the last one that replayed it. reprocessed: how often by schedule.
ALTER TABLE ${schema}.delivery
    ADD COLUMN released boolean NOT NULL DEFAULT false,
    ADD COLUMN operation bigint,
    ADD COLUMN reprocessed smallint NOT NULL DEFAULT 0;
CREATE INDEX delivery_operation ON ${schema}.delivery (operation, status) WHERE operation IS NOT NULL;
