package io.postrider.engine.dispatch;

/** The third verb: takes flights, and answers each with one {@link Landing}. Thread-safe. */
public interface Dispatcher {

    void dispatch(Flight flight);

    /** Lands a flight now, without the events that still run; nothing if it has landed. */
    void cut(Flight flight, String why);
}
