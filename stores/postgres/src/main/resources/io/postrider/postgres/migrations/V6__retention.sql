-- What is kept of events that did not get through. This file is immutable: what changes later is a migration of its own.

-- Rows that have ended, by when they did.
CREATE INDEX delivery_ended ON ${schema}.delivery (subscription, status, changed_at) WHERE status IN ('dead', 'expired');

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

-- Dead events of subscriptions that keep them apart from what still waits: each death a row, with what became of it.
CREATE TABLE ${schema}.dead_events (
    number       bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription text        NOT NULL REFERENCES ${schema}.subscription ON DELETE CASCADE,
    lane         smallint    NOT NULL,
    position     bigint      NOT NULL,
    id           uuid        NOT NULL,
    type         text        NOT NULL,
    key          text,
    payload      json        NOT NULL,
    headers      json        NOT NULL,
    tenant       text,
    appended_at  timestamptz NOT NULL,
    expires_at   timestamptz,
    priority     smallint,
    attempts     integer     NOT NULL,
    error        text,
    died_at      timestamptz NOT NULL,
    -- How often it was replayed by schedule.
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
