/**
 * What operators see and decide: search, stories and ledgers, decisions about dead events and operations about many,
 * the audit. Nothing of claim or settle is reachable from here.
 */
@NullMarked
package io.postrider.operate;

import org.jspecify.annotations.NullMarked;
