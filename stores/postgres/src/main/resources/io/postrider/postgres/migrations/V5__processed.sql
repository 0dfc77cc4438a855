-- Which events a handler's effect has been committed for. This file is immutable: what changes later is a migration of its
-- own.

-- One row for each, written in the transaction of the effect. The bucket follows from the event: the day in the first 48 bits
-- of its id (a UUID of version 7), modulo 16; see PostgresProcessed. So a second row for the same event and handler meets the
-- first in the same bucket, whenever it comes, and a bucket is written on one day and lies still for fifteen. Once all its
-- rows are old it is truncated whole. Ids of other kinds spread over all buckets, and are deleted row by row.
CREATE TABLE ${schema}.processed (
    event   uuid        NOT NULL,
    handler text        NOT NULL,
    bucket  smallint    NOT NULL,
    at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (event, handler, bucket)
) PARTITION BY LIST (bucket);

CREATE INDEX processed_at ON ${schema}.processed (at);

DO $$
BEGIN
    FOR bucket IN 0..15 LOOP
        EXECUTE format('CREATE TABLE ${schema}.processed_%s PARTITION OF ${schema}.processed FOR VALUES IN (%s)', bucket, bucket);
    END LOOP;
END
$$;
