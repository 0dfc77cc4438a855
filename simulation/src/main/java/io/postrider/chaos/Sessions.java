package io.postrider.chaos;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The sessions of PostgreSQL, over one of our own that stays open. Used by one thread. */
final class Sessions implements AutoCloseable {
    /** What the names of the nodes begin with, and so those of their sessions. */
    static final String NODES = "node-";

    private static final String OF_NODES = " FROM pg_stat_activity WHERE application_name LIKE '" + NODES + "%'";

    private final Database database;
    private final Connection own;
    private final List<Connection> occupants = new ArrayList<>();

    Sessions(Database database) throws SQLException {
        this.database = database;
        this.own = database.connect("harness");
    }

    /** Ends the sessions of all nodes by pg_terminate_backend; the process ids of those it has signalled. */
    List<Long> terminateNodes() throws SQLException {
        return pids("SELECT pid FROM (SELECT pid, pg_terminate_backend(pid) AS done" + OF_NODES + ") AS s WHERE done");
    }

    /** The process ids of the sessions of nodes. */
    List<Long> pidsOfNodes() throws SQLException {
        return pids("SELECT pid" + OF_NODES);
    }

    /** How many lanes a node owns; its id there begins with its name. */
    int lanesOf(NodeProcess node) throws SQLException {
        try (PreparedStatement select =
                own.prepareStatement("SELECT count(*) FROM postrider.lane WHERE owner LIKE ? || '-%'")) {
            select.setString(1, node.name());
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    /** For how long a session of this name has been idle in its transaction; zero if it is not. */
    Duration idleInTransaction(String application) throws SQLException {
        try (PreparedStatement select = own.prepareStatement("""
                SELECT extract(epoch FROM clock_timestamp() - xact_start) * 1000 FROM pg_stat_activity
                WHERE application_name = ? AND state = 'idle in transaction'
                """)) {
            select.setString(1, application);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Duration.ofMillis(row.getLong(1)) : Duration.ZERO;
            }
        }
    }

    /** How many live nodes own lanes. */
    int owners() throws SQLException {
        try (PreparedStatement select = own.prepareStatement("""
                        SELECT count(DISTINCT l.owner) FROM postrider.lane l
                        JOIN postrider.node n ON n.id = l.owner AND n.lease_until > clock_timestamp()
                        """);
                ResultSet row = select.executeQuery()) {
            row.next();
            return row.getInt(1);
        }
    }

    private List<Long> pids(String sql) throws SQLException {
        try (PreparedStatement select = own.prepareStatement(sql);
                ResultSet row = select.executeQuery()) {
            List<Long> pids = new ArrayList<>();
            while (row.next()) {
                pids.add(row.getLong(1));
            }
            return pids;
        }
    }

    /** Takes all connections there are, those of the nodes included. */
    void occupyAll() throws SQLException {
        do {
            terminateNodes();
            occupyFree();
        } while (!pidsOfNodes().isEmpty());
    }

    private void occupyFree() throws SQLException {
        try {
            while (true) {
                occupants.add(database.connect("occupant"));
            }
        } catch (SQLException e) {
            if (!"53300".equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    int occupants() {
        return occupants.size();
    }

    void vacate() throws SQLException {
        for (Connection occupant : occupants) {
            occupant.close();
        }
        occupants.clear();
    }

    @Override
    public void close() throws SQLException {
        vacate();
        own.close();
    }
}
