package io.postrider.postgres;

import io.postrider.operate.Browse;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;

/** The names of subscriptions, for those who ask about one and may have misspelt it. */
final class KnownSubscriptions {
    private final Jdbc jdbc;

    KnownSubscriptions(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    List<String> list() {
        return jdbc.repeatable(connection -> {
            List<String> names = new ArrayList<>();
            try (var statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(jdbc.sql("SELECT name FROM {subscription} ORDER BY name"))) {
                while (row.next()) {
                    names.add(row.getString(1));
                }
            }
            return names;
        });
    }

    /** So that nobody takes a misspelt name for one that has nothing. */
    void require(String subscription) {
        List<String> names = list();
        if (!names.contains(subscription)) {
            throw Browse.unknown(subscription, names);
        }
    }
}
