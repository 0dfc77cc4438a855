-- What was received from elsewhere. This file is immutable: what changes later is a migration of its own.

-- One row for each message, by its source and the id of its event, written by the statement that appends the event. Buckets
-- as in processed: the day in the first 48 bits of the id, modulo 16; see BucketRing.
CREATE TABLE ${schema}.received (
    source text        NOT NULL,
    event  uuid        NOT NULL,
    bucket smallint    NOT NULL,
    at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (event, source, bucket)
) PARTITION BY LIST (bucket);

CREATE INDEX received_at ON ${schema}.received (at);

DO $$
BEGIN
    FOR bucket IN 0..15 LOOP
        EXECUTE format('CREATE TABLE ${schema}.received_%s PARTITION OF ${schema}.received FOR VALUES IN (%s)', bucket, bucket);
    END LOOP;
END
$$;

-- How many messages came again: a row for each statement that met some, added up now and then. Only inserts beside receivers,
-- so that none of them waits for another.
CREATE TABLE ${schema}.received_again (
    source   text        NOT NULL,
    messages bigint      NOT NULL,
    at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX received_again_source ON ${schema}.received_again (source);
