/** Checks of text that several parts share: what a log takes, what a terminal shows, how an exception is told. */
@NullMarked
package io.postrider.text;

import org.jspecify.annotations.NullMarked;
