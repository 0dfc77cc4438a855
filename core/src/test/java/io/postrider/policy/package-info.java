@NullMarked
package io.postrider.policy;

import org.jspecify.annotations.NullMarked;
