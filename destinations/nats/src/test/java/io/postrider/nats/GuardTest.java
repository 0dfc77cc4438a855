package io.postrider.nats;

import static io.postrider.nats.Letters.answer;
import static io.postrider.nats.Letters.dispatch;
import static io.postrider.nats.Letters.letters;
import static io.postrider.nats.Letters.seals;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.StoredEvent;
import io.postrider.destination.Guarded.Sealed;
import io.postrider.destination.Outcome;
import io.postrider.destination.Receipt;
import io.postrider.tck.server.NatsServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that has lost what it had acknowledged is found out, also where it has given the numbers to others. */
final class GuardTest {
    @TempDir
    Path folder;

    private NatsServer server;
    private JetStreamDestination destination;

    @BeforeEach
    void start() {
        server = NatsServer.in(folder).start();
        destination = destination(StreamSpec.of("LETTERS", "letter.>"));
    }

    private JetStreamDestination destination(StreamSpec spec) {
        return JetStreamDestination.start(
                JetStreamConfig.of(Patiently.servers(server)).streams(Streams.update(spec)));
    }

    @AfterEach
    void stop() {
        destination.close();
        server.close();
    }

    @Test
    void what_an_older_copy_of_the_storage_does_not_have_is_gone_although_its_numbers_are_not() {
        List<StoredEvent> kept = letters("letter.sent", 3);
        List<Sealed> seals = new ArrayList<>(seals(kept, dispatch(destination, kept)));
        server.process().stop();
        server.copyStorageTo(folder.resolve("copy"));
        server.start();
        answer(destination.probe());
        List<StoredEvent> lost = letters("letter.sent", 4);
        seals.addAll(seals(lost, dispatch(destination, lost)));
        assertThat(answer(destination.verify(seals))).containsOnly(true);

        server.process().kill();
        server.putBackStorage(folder.resolve("copy"));
        server.start();
        answer(destination.probe());
        List<StoredEvent> others = letters("letter.sent", 2);
        List<Sealed> reused = seals(others, dispatch(destination, others));

        assertThat(reused.stream().map(Sealed::receipt))
                .containsExactly(seals.get(3).receipt(), seals.get(4).receipt());
        assertThat(answer(destination.verify(seals))).containsExactly(true, true, true, false, false, false, false);
        assertThat(dispatch(destination, lost))
                .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(Outcome.Delivered.class));
    }

    @Test
    void nothing_reaches_a_restarted_server_before_a_probe() {
        List<StoredEvent> events = letters("letter.sent", 3);
        List<Sealed> seals = seals(events, dispatch(destination, events));
        server.process().kill();
        server.start();
        assertThat(dispatch(destination, letters("letter.sent", 2)))
                .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(Outcome.Down.class));
        answer(destination.probe());
        assertThat(answer(destination.verify(seals))).hasSize(3);
    }

    @Test
    void what_the_stream_has_removed_for_its_age_is_not_lost() {
        destination.close();
        destination = destination(StreamSpec.of("LETTERS", "letter.>")
                .duplicateWindow(Duration.ofMillis(200))
                .maxAge(Duration.ofMillis(200)));
        List<StoredEvent> events = letters("letter.sent", 3);
        List<Sealed> seals = seals(events, dispatch(destination, events));
        Sealed never = new Sealed(new Receipt("LETTERS", 1_000), events.get(0).id());
        Sealed nowhere = new Sealed(new Receipt("OTHERS", 1), events.get(0).id());
        server.process().stop(); // its time passes
        server.start();
        answer(destination.probe());
        assertThat(answer(destination.verify(seals))).containsOnly(true);
        assertThat(answer(destination.verify(List.of(never, nowhere)))).containsOnly(false);
    }
}
