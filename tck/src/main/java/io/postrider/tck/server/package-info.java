/** Real servers for tests, benchmarks and chaos: started on free ports in temporary folders, stopped by who did. */
@NullMarked
package io.postrider.tck.server;

import org.jspecify.annotations.NullMarked;
