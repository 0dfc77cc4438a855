package io.postrider.chaos;

import java.io.IOException;

/** The PostgreSQL of a cluster, whatever it is made of. */
interface Postgres extends AutoCloseable {

    /** How everybody reaches it. */
    Database database();

    @Override
    void close() throws IOException;
}
