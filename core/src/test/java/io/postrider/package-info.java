@NullMarked
package io.postrider;

import org.jspecify.annotations.NullMarked;
