-- The id of an edited copy is claimed by the entry of its edit in the audit. This file is immutable: what changes later is a
-- migration of its own.
-- serves: 36

-- NULL in entries of other decisions, and in those of edits before this migration, which may have had one id twice. Code from
-- before it leaves the column NULL: its edits are looked for in the log alone, as they were. An entry may go before its event does:
-- the event is then found in the log.
ALTER TABLE ${schema}.audit ADD COLUMN copy uuid;

-- Two edits under one id meet here: the second one waits for the first, and is refused once that has committed.
CREATE UNIQUE INDEX audit_copy ON ${schema}.audit (copy) WHERE copy IS NOT NULL;
