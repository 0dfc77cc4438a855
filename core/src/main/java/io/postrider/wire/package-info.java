/**
 * Events as messages, for every destination and source alike: {@link io.postrider.wire.Encoding} makes a message of an
 * event, {@link io.postrider.wire.Decoding} an event of a message, also of one that somebody else has sent.
 */
@NullMarked
package io.postrider.wire;

import org.jspecify.annotations.NullMarked;
