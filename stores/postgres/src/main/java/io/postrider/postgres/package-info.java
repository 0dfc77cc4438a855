/**
 * The store on PostgreSQL, by plain JDBC: one class per verb, each statement a text block beside the method that runs
 * it.
 *
 * <p>Every write of the engine is one statement, so no lock outlives a round trip and a node that is paused in the
 * middle holds nobody up. No session state is used: it works behind a transaction pooler.
 */
@NullMarked
package io.postrider.postgres;

import org.jspecify.annotations.NullMarked;
