/**
 * From claimed events to outcomes: batches, workers, calls of destinations and their circuits. Internal; nothing here
 * is API.
 */
@NullMarked
package io.postrider.engine.dispatch;

import org.jspecify.annotations.NullMarked;
