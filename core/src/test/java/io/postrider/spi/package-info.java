@NullMarked
package io.postrider.spi;

import org.jspecify.annotations.NullMarked;
