@NullMarked
package io.postrider.embedded;

import org.jspecify.annotations.NullMarked;
