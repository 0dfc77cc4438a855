@NullMarked
package io.postrider.engine.queue;

import org.jspecify.annotations.NullMarked;
