package io.postrider.chaos;

import java.io.IOException;

/** What can be sent to a process that this harness started, by its id. */
enum Signal {
    KILL,
    TERM,
    STOP,
    CONT;

    void send(long pid) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", "-" + name(), Long.toString(pid))
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("SIG" + name() + " could not be sent to process " + pid);
        }
    }
}
