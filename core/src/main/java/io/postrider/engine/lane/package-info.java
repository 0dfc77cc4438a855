/** One lane while this node owns it: claim, dispatch, settle, park. Internal; nothing here is API. */
@NullMarked
package io.postrider.engine.lane;

import org.jspecify.annotations.NullMarked;
