/** Tasks of queues: claimed, renewed and settled row by row. Internal; nothing here is API. */
@NullMarked
package io.postrider.engine.queue;

import org.jspecify.annotations.NullMarked;
