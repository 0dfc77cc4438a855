/**
 * What operators decided about many events, and what retention asks for, carried out by the nodes. Internal; nothing
 * here is API.
 */
@NullMarked
package io.postrider.engine.operation;

import org.jspecify.annotations.NullMarked;
