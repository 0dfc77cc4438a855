/**
 * The conformance suite: one abstract class per verb, held together by {@link io.postrider.tck.StoreSuite},
 * {@link io.postrider.tck.EngineSuite} and {@link io.postrider.tck.OperatorSuite}.
 *
 * <p>A store proves itself with three test classes that extend them and supply a {@link io.postrider.tck.StoreFixture}.
 * Nothing here skips: a store declares its limitations, and their refusal is asserted.
 */
@NullMarked
package io.postrider.tck;

import org.jspecify.annotations.NullMarked;
