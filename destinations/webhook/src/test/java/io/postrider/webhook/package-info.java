/** Tests of webhooks, against real servers on loopback. */
@NullMarked
package io.postrider.webhook;

import org.jspecify.annotations.NullMarked;
