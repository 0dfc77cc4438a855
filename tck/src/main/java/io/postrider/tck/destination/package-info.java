/** The conformance suite that holds every destination to the same promises, against a real server. */
@NullMarked
package io.postrider.tck.destination;

import org.jspecify.annotations.NullMarked;
