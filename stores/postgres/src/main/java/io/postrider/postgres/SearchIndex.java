package io.postrider.postgres;

/** An index for searching. Each segment gets them when it is closed, see {@link SearchIndexes}; the log has none. */
enum SearchIndex {
    ID("id", "id"),
    CORRELATION("correlation", "({header}(headers, 'correlationId')), position"),
    KEY("key", "key, position"),
    USER("user", "({header}(headers, 'userId')), position"),
    TENANT("tenant", "tenant, position"),
    TYPE("type", "type, position"),
    TIME("time", "appended_at");

    private final String suffix;
    private final String columns;

    SearchIndex(String suffix, String columns) {
        this.suffix = suffix;
        this.columns = columns;
    }

    /** Its name on a segment. */
    String on(String segment) {
        return segment + "_by_" + suffix;
    }

    String columns() {
        return columns;
    }
}
