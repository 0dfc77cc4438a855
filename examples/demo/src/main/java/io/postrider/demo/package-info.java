/** The demo that {@code ./run} starts: payouts in business transactions, delivered to a handler that keeps wallets. */
@NullMarked
package io.postrider.demo;

import org.jspecify.annotations.NullMarked;
