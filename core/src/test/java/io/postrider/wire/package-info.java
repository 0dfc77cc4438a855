@NullMarked
package io.postrider.wire;

import org.jspecify.annotations.NullMarked;
