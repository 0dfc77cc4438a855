package io.postrider.chaos;

import java.nio.file.Path;

/** A scenario with a broker: it has servers and nodes of its own kind, and is judged by figures of its own. */
interface BrokerScenario {

    /** What it is called on the command line and on the page. */
    String name();

    /** What happens, as a sentence. */
    String sentence();

    /**
     * Sets all up, does the damage and judges.
     *
     * @param logs where processes leave what they log
     * @throws Unmeasured if nothing can be said about the engine
     */
    BrokerResult run(Path logs) throws Exception;
}
