@NullMarked
package io.postrider.nats;

import org.jspecify.annotations.NullMarked;
