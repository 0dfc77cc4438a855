/**
 * Where events go and messages come from: what authors of destinations and sources implement. The {@code tck} module
 * holds each destination and source to the same guarantees.
 */
@NullMarked
package io.postrider.destination;

import org.jspecify.annotations.NullMarked;
