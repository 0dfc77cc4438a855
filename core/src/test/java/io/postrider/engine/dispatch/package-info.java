@NullMarked
package io.postrider.engine.dispatch;

import org.jspecify.annotations.NullMarked;
