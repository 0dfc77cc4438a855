package io.postrider.spi;

import io.postrider.Start;
import java.util.List;

/** The named readers of a log, as the store knows them. */
public interface Subscriptions {

    /**
     * Creates the subscription with its lanes and cursors, or finds it there; its filter's fingerprint becomes this
     * one. The start counts only when it is created.
     *
     * @throws IllegalArgumentException if the start names something the log does not have
     */
    void register(String subscription, Start start, String filter);

    /**
     * Removes a subscription with its cursors, its delivery rows and the records of what it has processed, so that one
     * of the same name begins afresh. False if there was none.
     */
    boolean remove(String subscription);

    List<String> list();
}
