@NullMarked
package io.postrider.simulation;

import org.jspecify.annotations.NullMarked;
