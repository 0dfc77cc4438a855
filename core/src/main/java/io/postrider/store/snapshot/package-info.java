/**
 * Cursors for stores whose positions are drawn inside transactions, and so before their commits: such a cursor
 * remembers the snapshot of its last read. PostgreSQL and the memory store share this algebra.
 */
@NullMarked
package io.postrider.store.snapshot;

import org.jspecify.annotations.NullMarked;
