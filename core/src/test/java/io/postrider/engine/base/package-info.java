@NullMarked
package io.postrider.engine.base;

import org.jspecify.annotations.NullMarked;
