/** Tests against a real PostgreSQL, which they start themselves. */
@NullMarked
package io.postrider.postgres;

import org.jspecify.annotations.NullMarked;
