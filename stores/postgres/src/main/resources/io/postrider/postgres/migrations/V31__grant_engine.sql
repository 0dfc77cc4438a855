-- A refusal without a hint to do what was refused. This file is immutable: what changes later is a migration of its own.
-- serves: 29

-- Lets a role run nodes. They make and drop segments, which PostgreSQL allows the owner of a table alone: so the role
-- becomes a member of the owner.
CREATE OR REPLACE FUNCTION ${schema}.grant_engine(role name) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    owner name := (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = '${schema}.outbox_log'::regclass);
BEGIN
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = owner) THEN
        RAISE object_not_in_prerequisite_state USING MESSAGE = format(
            'the schema ${schema} belongs to %I, a superuser, and a role that runs nodes would become one: let the schema '
            'belong to a role of its own', owner);
    END IF;
    EXECUTE format('GRANT %I TO %I', owner, role);
EXCEPTION WHEN insufficient_privilege THEN
    RAISE insufficient_privilege USING MESSAGE = SQLERRM, HINT = format(
        'Nodes run as members of the schema''s owner. An administrator grants that: GRANT %I TO %I', owner, role);
END
$$;
