package io.postrider.postgres;

/** Whether a store that starts brings its schema up to date. */
public enum Migrate {
    /** Create the schema or bring it up to date. The role owns the schema, or may create it. */
    APPLY,

    /**
     * Compare the schema with this code, change nothing, and refuse to start where a migration is missing. The role
     * needs {@code USAGE} on the schema.
     */
    VALIDATE,

    /**
     * Take no connection and look at nothing. For applications that only append: their role need not read a single
     * table. A schema that does not fit shows up with the first statement.
     */
    NEVER
}
