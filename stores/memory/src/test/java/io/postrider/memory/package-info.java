@NullMarked
package io.postrider.memory;

import org.jspecify.annotations.NullMarked;
