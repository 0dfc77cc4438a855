/**
 * A real, durable PostgreSQL in a local folder, started and stopped with the program that uses it.
 *
 * <p>{@link io.postrider.embedded.EmbeddedPostgres} is the only door. Behind it each concern is one small class: the
 * unpacked {@code Binaries}, the locked {@code ServerFolder}, the {@code Cluster} that initdb made, the
 * {@code ServerProcess}, what earlier runs left behind ({@code FolderProcesses}) and the {@code Readiness} check.
 */
@NullMarked
package io.postrider.embedded;

import org.jspecify.annotations.NullMarked;
