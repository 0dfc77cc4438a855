package io.postrider.postgres;

/**
 * How PostgreSQL plans the statements that are run all the time. Left to itself it plans them anew with each execution,
 * because a plan for given values leaves out segments and looks cheaper; that takes longer than many of them run.
 */
final class Planning {
    /**
     * Columns of a SELECT: what is run next in its transaction is planned once for all values. By indexes, because the
     * plan may have been made while the log was empty. Without compiling it, which PostgreSQL decides by the cost for
     * any values, and that of a large log is high.
     */
    static final String ONCE = """
            set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
            set_config('enable_bitmapscan', 'off', true), set_config('jit', 'off', true)""";

    private Planning() {}
}
