/**
 * What an application decides about its subscriptions and its node: retries, retention, queues, schedules and limits.
 * Values without behaviour towards a store.
 */
@NullMarked
package io.postrider.policy;

import org.jspecify.annotations.NullMarked;
