/** The command line, {@code ./postrider}: a class per command, each with its exit codes. */
@NullMarked
package io.postrider.cli;

import org.jspecify.annotations.NullMarked;
