@NullMarked
package io.postrider.engine.lane;

import org.jspecify.annotations.NullMarked;
