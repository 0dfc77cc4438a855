/** Events to Kafka and back. */
@NullMarked
package io.postrider.kafka;

import org.jspecify.annotations.NullMarked;
