package io.postrider.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells who may have the engine's statements run something of their own. Statements run on the host's connections, one
 * by one and often through a pooler, so that their search_path is not ours to set; and PostgreSQL prefers an operator
 * or a function whose argument types match exactly to its own, in whatever schema of the search_path.
 *
 * <p>The statements here name the schema of all that they use, since they run on the path that they look at.
 */
final class SearchPathCheck {
    private static final Logger LOG = LoggerFactory.getLogger(SearchPathCheck.class);

    /**
     * Roles that may create in a schema of the path and are neither superusers nor its owner's members nor this one.
     */
    private static final String OPEN = """
            SELECT pg_catalog.quote_ident(n.nspname), pg_catalog.string_agg(DISTINCT CASE
                WHEN a.grantee OPERATOR(pg_catalog.=) 0::pg_catalog.oid THEN 'PUBLIC'
                ELSE pg_catalog.quote_ident(r.rolname) END, ', '), pg_catalog.quote_ident(CURRENT_USER)
            FROM pg_catalog.pg_namespace n
            CROSS JOIN LATERAL pg_catalog.aclexplode(n.nspacl) a
            LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) a.grantee
            WHERE n.nspname OPERATOR(pg_catalog.=) ANY (pg_catalog.current_schemas(true))
              AND n.nspname OPERATOR(pg_catalog.<>) 'pg_catalog'::pg_catalog.name
              AND NOT pg_catalog.starts_with(n.nspname::pg_catalog.text, 'pg_temp_'::pg_catalog.text)
              AND a.privilege_type OPERATOR(pg_catalog.=) 'CREATE'::pg_catalog.text
              AND (a.grantee OPERATOR(pg_catalog.=) 0::pg_catalog.oid OR (NOT r.rolsuper
                AND r.rolname OPERATOR(pg_catalog.<>) CURRENT_USER
                AND NOT pg_catalog.pg_has_role(a.grantee, n.nspowner, 'MEMBER'::pg_catalog.text)))
            GROUP BY n.nspname ORDER BY n.nspname
            """;

    /** What such roles have in a schema of the path, now, under the name of something of PostgreSQL's own. */
    private static final String PLANTED = """
            SELECT pg_catalog.quote_ident(n.nspname), p.what, pg_catalog.quote_ident(r.rolname)
            FROM pg_catalog.pg_namespace n
            CROSS JOIN LATERAL (
                SELECT 'OPERATOR '::pg_catalog.text
                    OPERATOR(pg_catalog.||) o.oid::pg_catalog.regoperator::pg_catalog.text AS what, o.oprowner AS owner
                FROM pg_catalog.pg_operator o WHERE o.oprnamespace OPERATOR(pg_catalog.=) n.oid AND EXISTS (
                    SELECT FROM pg_catalog.pg_operator own WHERE own.oprname OPERATOR(pg_catalog.=) o.oprname
                      AND own.oprnamespace OPERATOR(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace::pg_catalog.oid)
                UNION ALL
                SELECT 'ROUTINE '::pg_catalog.text
                    OPERATOR(pg_catalog.||) f.oid::pg_catalog.regprocedure::pg_catalog.text, f.proowner
                FROM pg_catalog.pg_proc f WHERE f.pronamespace OPERATOR(pg_catalog.=) n.oid AND EXISTS (
                    SELECT FROM pg_catalog.pg_proc own WHERE own.proname OPERATOR(pg_catalog.=) f.proname
                      AND own.pronamespace OPERATOR(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace::pg_catalog.oid)
            ) p
            JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) p.owner
            WHERE n.nspname OPERATOR(pg_catalog.=) ANY (pg_catalog.current_schemas(true))
              AND n.nspname OPERATOR(pg_catalog.<>) 'pg_catalog'::pg_catalog.name
              AND NOT pg_catalog.starts_with(n.nspname::pg_catalog.text, 'pg_temp_'::pg_catalog.text)
              AND NOT r.rolsuper AND r.rolname OPERATOR(pg_catalog.<>) CURRENT_USER
              AND NOT pg_catalog.pg_has_role(p.owner, n.nspowner, 'MEMBER'::pg_catalog.text)
            ORDER BY 1, 2 LIMIT 20
            """;

    private final Jdbc jdbc;

    SearchPathCheck(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    void tell() {
        jdbc.autocommit(this::warnings).forEach(LOG::warn);
    }

    private List<String> warnings(Connection connection) throws SQLException {
        List<String> warnings = new ArrayList<>();
        try (var statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery(OPEN)) {
                while (row.next()) {
                    warnings.add(open(row.getString(1), row.getString(2), row.getString(3)));
                }
            }
            try (ResultSet row = statement.executeQuery(PLANTED)) {
                while (row.next()) {
                    warnings.add(planted(row.getString(1), row.getString(2), row.getString(3)));
                }
            }
        }
        return warnings;
    }

    private static String open(String schema, String roles, String role) {
        return "Schema " + schema + " is in the search_path of role " + role + ", and others may create in it: " + roles
                + ". An operator or a function that one of them defines there runs with the rights of " + role
                + " when a statement of this store takes it for PostgreSQL's own. Let them not: REVOKE CREATE ON"
                + " SCHEMA " + schema + " FROM " + roles + ". Or leave the schema out: ALTER ROLE " + role
                + " SET search_path = pg_catalog, where the role is the engine's alone";
    }

    private static String planted(String schema, String what, String owner) {
        return "Schema " + schema
                + " is in the search_path of this store, and has something of the name of PostgreSQL's"
                + " own that role " + owner + " has made: " + what + ". Statements of this store may call it, with the"
                + " rights of this store's role. Look what it does; DROP " + what + " removes it";
    }
}
