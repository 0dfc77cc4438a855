@NullMarked
package io.postrider.observability;

import org.jspecify.annotations.NullMarked;
