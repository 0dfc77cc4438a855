@NullMarked
package io.postrider.operate;

import org.jspecify.annotations.NullMarked;
