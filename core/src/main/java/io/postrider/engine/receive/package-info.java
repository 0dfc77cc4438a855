/** From sources into the inbox, or straight to handlers. Internal; nothing here is API. */
@NullMarked
package io.postrider.engine.receive;

import org.jspecify.annotations.NullMarked;
