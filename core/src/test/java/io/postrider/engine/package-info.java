@NullMarked
package io.postrider.engine;

import org.jspecify.annotations.NullMarked;
