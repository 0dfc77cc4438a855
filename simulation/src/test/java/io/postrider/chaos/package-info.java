@NullMarked
package io.postrider.chaos;

import org.jspecify.annotations.NullMarked;
