@NullMarked
package io.postrider.cli;

import org.jspecify.annotations.NullMarked;
