@NullMarked
package io.postrider.tck;

import org.jspecify.annotations.NullMarked;
