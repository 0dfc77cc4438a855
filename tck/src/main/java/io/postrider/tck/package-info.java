/**
 * The conformance suite: one abstract class per verb, held together by {@link io.postrider.tck.StoreSuite}.
 *
 * <p>A store proves itself with a test class that extends {@code StoreSuite} and supplies a
 * {@link io.postrider.tck.StoreFixture}. Nothing here skips: what a store cannot do it declares, and the refusal is
 * asserted.
 */
@NullMarked
package io.postrider.tck;

import org.jspecify.annotations.NullMarked;
