/** Tests of the demo and of what the documents show. */
@NullMarked
package io.postrider.demo;

import org.jspecify.annotations.NullMarked;
