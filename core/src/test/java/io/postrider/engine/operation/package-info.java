@NullMarked
package io.postrider.engine.operation;

import org.jspecify.annotations.NullMarked;
