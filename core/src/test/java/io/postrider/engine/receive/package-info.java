@NullMarked
package io.postrider.engine.receive;

import org.jspecify.annotations.NullMarked;
