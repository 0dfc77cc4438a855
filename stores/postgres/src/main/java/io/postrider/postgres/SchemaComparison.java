package io.postrider.postgres;

import io.postrider.postgres.SchemaHistory.Applied;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a schema has beside what this code knows.
 *
 * @param known by version
 * @param applied by version
 */
record SchemaComparison(String schema, List<Migration> known, List<Applied> applied) {
    SchemaComparison {
        known = List.copyOf(known);
        applied = List.copyOf(applied);
    }

    /** What the schema lacks. Numbers may have gaps, and what fills one later is pending too. */
    List<Migration> pending() {
        return known.stream()
                .filter(migration -> applied.stream().noneMatch(row -> row.version() == migration.version()))
                .toList();
    }

    /** The version of the schema: its highest migration. */
    int schemaVersion() {
        return applied.stream().mapToInt(Applied::version).max().orElse(0);
    }

    /** The version of this code: the highest migration it knows. */
    int codeVersion() {
        return known.stream().mapToInt(Migration::version).max().orElse(0);
    }

    /** The oldest code that the schema serves. */
    int serves() {
        return applied.stream().mapToInt(Applied::serves).max().orElse(0);
    }

    boolean newer() {
        return schemaVersion() > codeVersion();
    }

    /** Why this code must not work on the schema, migrated or not. */
    Optional<String> refusal() {
        return fromBeforeTheFirstRelease().or(this::notServed).or(this::changed);
    }

    /** Until 0.1 the first migration itself was changed, so that a schema with another one is of that time. */
    private Optional<String> fromBeforeTheFirstRelease() {
        return changes()
                .filter(change -> change.here().version() == 1)
                .findFirst()
                .map(change -> unreleased(schema));
    }

    /** What to do with a schema of that time. */
    static String unreleased(String schema) {
        return "schema '" + schema + "' is from a development version of Postrider before 0.1, and this version does"
                + " not migrate such a schema: start with another schema, or drop this one, with all its events"
                + " (DROP SCHEMA " + schema + " CASCADE). Data that ./run has kept goes with its folder: delete"
                + " .postrider, or the folder that POSTRIDER_HOME names";
    }

    private Optional<String> notServed() {
        if (serves() <= codeVersion()) {
            return Optional.empty();
        }
        return Optional.of("schema '" + schema + "' has version " + schemaVersion() + " and serves code from version "
                + serves() + " on, this code knows up to " + codeVersion() + ": run a newer Postrider");
    }

    private Optional<String> changed() {
        return changes()
                .findFirst()
                .map(change -> "schema '" + schema + "' was made with another "
                        + change.here().file() + " (checksum "
                        + change.there().checksum() + ") than this code has ("
                        + change.here().checksum()
                        + "): run the Postrider that made it, or restore the file, and put changes into a"
                        + " migration with a number of its own");
    }

    /** A migration that the schema has, in another form than this code. */
    private record Change(Migration here, Applied there) {}

    private Stream<Change> changes() {
        return known.stream()
                .flatMap(here -> applied.stream()
                        .filter(row -> row.version() == here.version() && row.checksum() != here.checksum())
                        .map(row -> new Change(here, row)));
    }
}
