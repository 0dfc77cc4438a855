package io.postrider.postgres;

import io.postrider.operate.Audit.Action;
import io.postrider.operate.By;
import io.postrider.operate.Operate;
import io.postrider.operate.Operate.Answer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What operators turn on and off: flags that nodes find with their renewals. */
final class PostgresSwitch {
    private final Jdbc jdbc;

    PostgresSwitch(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    Answer pause(String subscription, boolean pause, By by) {
        String sql = jdbc.sql("""
                WITH turned AS (
                    UPDATE {subscription} SET paused = ? WHERE name = ? AND paused <> ? RETURNING name
                ), audited AS (
                    INSERT INTO {audit} (who, why, action, details, subscription)
                    SELECT ?, ?, ?, ?::json, name FROM turned
                )
                SELECT (SELECT count(*) FROM turned), EXISTS (SELECT FROM {subscription} WHERE name = ?)
                """);
        return turn(
                sql,
                subscription,
                pause,
                Answer.NO_SUBSCRIPTION,
                write -> PostgresAudit.bind(write, by, pause ? Action.PAUSE : Action.RESUME, Map.of()));
    }

    Answer drain(String node, boolean drain, By by) {
        String sql = jdbc.sql("""
                WITH turned AS (
                    UPDATE {node} SET draining = ? WHERE id = ? AND draining <> ? RETURNING id
                ), audited AS (
                    INSERT INTO {audit} (who, why, action, details) SELECT ?, ?, ?, ?::json FROM turned
                )
                SELECT (SELECT count(*) FROM turned), EXISTS (SELECT FROM {node} WHERE id = ?)
                """);
        return turn(
                sql,
                node,
                drain,
                Answer.NO_NODE,
                write -> PostgresAudit.bind(write, by, drain ? Action.DRAIN : Action.UNDRAIN, Map.of("node", node)));
    }

    private Answer turn(String sql, String name, boolean on, Answer unknown, Parameters.Binding audit) {
        return jdbc.autocommit(connection -> {
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                Parameters write = new Parameters(update).object(on).text(name).object(on);
                audit.bind(write);
                write.text(name);
                try (ResultSet row = update.executeQuery()) {
                    row.next();
                    Answer unturned = row.getBoolean(2) ? Answer.NOTHING : unknown;
                    return row.getLong(1) == 1 ? Answer.DONE : unturned;
                }
            }
        });
    }

    Set<String> paused() {
        return jdbc.autocommit(connection -> {
            Set<String> names = new TreeSet<>();
            try (var statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(jdbc.sql("SELECT name FROM {subscription} WHERE paused"))) {
                while (row.next()) {
                    names.add(row.getString(1));
                }
            }
            return names;
        });
    }

    List<Operate.Member> nodes() {
        String sql =
                jdbc.sql("SELECT id, lease_until > clock_timestamp(), subscriptions, draining FROM {node} ORDER BY id");
        return jdbc.autocommit(connection -> {
            List<Operate.Member> nodes = new ArrayList<>();
            try (var statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                while (row.next()) {
                    Set<String> subscriptions = Set.copyOf(Targets.texts(row, 3));
                    nodes.add(
                            new Operate.Member(row.getString(1), row.getBoolean(2), subscriptions, row.getBoolean(4)));
                }
            }
            return nodes;
        });
    }

    boolean known(String subscription) {
        return jdbc.autocommit(connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement(jdbc.sql("SELECT FROM {subscription} WHERE name = ?"))) {
                select.setString(1, subscription);
                try (ResultSet row = select.executeQuery()) {
                    return row.next();
                }
            }
        });
    }
}
