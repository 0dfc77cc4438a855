-- How far sources were read. This file is immutable: what changes later is a migration of its own.

-- Places of which readers have taken messages, see Placed: a row for each transaction that receives some. Only inserts beside
-- receivers, so that none of them waits for another; prune keeps the newest of each reader. at is in nanoseconds since 1970.
CREATE TABLE ${schema}.source_place (
    reader   text   NOT NULL,
    era      bigint NOT NULL,
    at       bigint NOT NULL,
    sequence bigint NOT NULL
);
CREATE INDEX source_place_newest ON ${schema}.source_place (reader, era, at, sequence);
