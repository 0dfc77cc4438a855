-- Whether every session was told of a segment a second time: one that reads the list of segments while a segment is made
-- may keep the old list for good. No position of a segment is drawn before. This file is immutable: what changes later is
-- a migration of its own. Nodes of earlier versions would draw positions too early, so it serves none of them.
ALTER TABLE ${schema}.segment ADD COLUMN refreshed boolean NOT NULL DEFAULT false;
