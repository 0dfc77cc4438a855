/** The suite of destinations, tried on a broker in memory: a sound destination passes it, broken ones do not. */
@NullMarked
package io.postrider.memory.destination;

import org.jspecify.annotations.NullMarked;
