@NullMarked
package io.postrider.redis;

import org.jspecify.annotations.NullMarked;
