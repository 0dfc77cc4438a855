/**
 * Load on a real PostgreSQL: writers keep a ledger of what they committed, handlers one of what arrived, and an oracle
 * compares the two. Through the public API only, as an application would.
 */
@NullMarked
package io.postrider.postgres.load;

import org.jspecify.annotations.NullMarked;
