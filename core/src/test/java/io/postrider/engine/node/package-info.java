@NullMarked
package io.postrider.engine.node;

import org.jspecify.annotations.NullMarked;
