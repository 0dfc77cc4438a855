package io.postrider.chaos;

import java.io.IOException;

/** What can be sent to a process that this harness started, by its id. */
enum Signal {
    KILL(9),
    TERM(15),
    STOP(19),
    CONT(18);

    private static final int ENDED_BY_SIGNAL = 128;

    private final int number;

    Signal(int number) {
        this.number = number;
    }

    /** With what a process ends that this one has ended. */
    int exitStatus() {
        return ENDED_BY_SIGNAL + number;
    }

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
