/** Events to Redis Pub/Sub and Redis Streams, and back. */
@NullMarked
package io.postrider.redis;

import org.jspecify.annotations.NullMarked;
