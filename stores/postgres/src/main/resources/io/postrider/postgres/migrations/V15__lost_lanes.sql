-- serves: 10
-- A settlement that commits with its effects must not commit when it has written nothing: the lane was lost. The error is
-- of a class that neither PostgreSQL nor SQL uses, so that no error of an application's own is taken for it.
CREATE FUNCTION ${schema}.require_written(settlements bigint) RETURNS bigint
    LANGUAGE plpgsql AS $$
BEGIN
    IF settlements = 0 THEN
        RAISE EXCEPTION 'the lane was lost: nothing was settled' USING ERRCODE = 'PR001';
    END IF;
    RETURN settlements;
END
$$;
ALTER FUNCTION ${schema}.require_written SET search_path = pg_catalog, pg_temp;
REVOKE ALL ON FUNCTION ${schema}.require_written FROM PUBLIC;
