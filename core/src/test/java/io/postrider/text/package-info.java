@NullMarked
package io.postrider.text;

import org.jspecify.annotations.NullMarked;
