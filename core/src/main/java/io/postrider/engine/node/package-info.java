/** A node: its lease, its share of the lanes, and the subscriptions it runs. Internal; nothing here is API. */
@NullMarked
package io.postrider.engine.node;

import org.jspecify.annotations.NullMarked;
