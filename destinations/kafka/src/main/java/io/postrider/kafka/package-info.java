/** Events to Kafka and back: {@link io.postrider.kafka.KafkaDestination} and {@link io.postrider.kafka.KafkaSource}. */
@NullMarked
package io.postrider.kafka;

import org.jspecify.annotations.NullMarked;
