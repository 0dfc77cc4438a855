/** Postrider and its peers behind one interface: append in a transaction, deliver to a handler. */
@NullMarked
package io.postrider.benchmarks.peers;

import org.jspecify.annotations.NullMarked;
