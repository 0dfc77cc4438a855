/** The code of docs/guides/first-service.md and docs/guides/testing.md; a test holds pages and code together. */
@NullMarked
package io.postrider.first;

import org.jspecify.annotations.NullMarked;
