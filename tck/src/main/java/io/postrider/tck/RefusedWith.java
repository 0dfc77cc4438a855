package io.postrider.tck;

import io.postrider.store.Store.Limitation;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What this suite tests is refused where the store declares one of these limitations: then each test asserts the
 * refusal, by {@link StoreCase#assertRefused}, and none is skipped.
 */
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@interface RefusedWith {
    Limitation[] value();
}
