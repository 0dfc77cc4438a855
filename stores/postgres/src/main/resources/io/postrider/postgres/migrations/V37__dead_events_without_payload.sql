-- Dead events whose payload the log has lost. This file is immutable: what changes later is a migration of its own.
-- serves: 36

-- NULL where the event was gone when its row died: such a row moves like any other, and is never dispatched.
ALTER TABLE ${schema}.dead_events ALTER COLUMN payload DROP NOT NULL;
