-- A role that reads. This file is immutable: what changes later is a migration of its own.
-- serves: 27

-- Lets a role read the tables and views, and do nothing else. Views call functions with the rights of whoever reads them, so
-- these are granted as well: all that write nothing, which PostgreSQL holds functions to that are not volatile.
CREATE FUNCTION ${schema}.grant_read(role name) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one regprocedure;
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA ${schema} TO %I', role);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO %I', role);
    EXECUTE format('GRANT SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO %I', role);
    FOR one IN SELECT oid FROM pg_proc WHERE pronamespace = '${schema}'::regnamespace AND provolatile <> 'v' LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', one, role);
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION ${schema}.grant_read FROM PUBLIC;
