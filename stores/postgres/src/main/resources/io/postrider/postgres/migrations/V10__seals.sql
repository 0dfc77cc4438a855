-- What destinations that can lose events have acknowledged. This file is immutable: what changes later is a migration of its own.

-- Of each stream the last event of the batch, and the positions it stands for, as JSON text; see SealText.
ALTER TABLE ${schema}.settlement ADD COLUMN seals text;

-- Seals that were found to be broken, until the events they stand for are parked. Empty but for the worst days.
CREATE TABLE ${schema}.lost (
    number       bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription text        NOT NULL REFERENCES ${schema}.subscription ON DELETE CASCADE,
    lane         smallint    NOT NULL,
    seal         text        NOT NULL,
    lost_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX lost_lane ON ${schema}.lost (subscription, lane, number);
