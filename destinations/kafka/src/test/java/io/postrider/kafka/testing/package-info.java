/** A real Kafka broker for tests and measurements, from its packages in the Maven repository. */
@NullMarked
package io.postrider.kafka.testing;

import org.jspecify.annotations.NullMarked;
