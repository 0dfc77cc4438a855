-- Where attempts failed. This file is immutable: what changes later is a migration of its own.
-- serves: 10

-- The stack of the exception that led to it, bounded; see Failure.
ALTER TABLE ${schema}.attempt ADD COLUMN stack text;
