/**
 * The reference store: the guarantees of every other one, within one process and without durability.
 *
 * <p>Like PostgreSQL it draws positions at append and shows events at commit, so the cursor algebra works for its
 * living here too. One class per verb over one shared {@code MemoryState}, whose monitor makes each operation atomic.
 */
@NullMarked
package io.postrider.memory;

import org.jspecify.annotations.NullMarked;
