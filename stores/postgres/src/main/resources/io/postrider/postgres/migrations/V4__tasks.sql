-- Tasks of queues: delivery rows that any node claims, with a lease each. This file is immutable: what changes later is a
-- migration of its own.

ALTER TABLE ${schema}.delivery ADD COLUMN owner text, ADD COLUMN lease_until timestamptz;
ALTER TABLE ${schema}.delivery DROP CONSTRAINT delivery_status_check;
ALTER TABLE ${schema}.delivery ADD CONSTRAINT delivery_status_check
    CHECK (status IN ('ready', 'retrying', 'running', 'dead', 'expired'));

-- One for each question of a queue, and only over the rows it is about.
CREATE INDEX delivery_ready ON ${schema}.delivery (subscription, priority DESC, position) WHERE status = 'ready';
CREATE INDEX delivery_expiry ON ${schema}.delivery (subscription, expires_at)
    WHERE status IN ('ready', 'retrying') AND expires_at IS NOT NULL;
CREATE INDEX delivery_suspect ON ${schema}.delivery (subscription) WHERE status = 'ready' AND suspect;
CREATE INDEX delivery_due ON ${schema}.delivery (subscription, due_at) WHERE status = 'retrying';
CREATE INDEX delivery_lease ON ${schema}.delivery (subscription, lease_until) WHERE lease_until IS NOT NULL;
