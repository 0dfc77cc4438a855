@NullMarked
package io.postrider.store;

import org.jspecify.annotations.NullMarked;
