package io.postrider.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The page that shows the figures of a run, with the command and the machine that made them. */
final class ReliabilityPage {
    private static final String HEAD = """
            # Reliability

            Written by `./chaos %s`; do not edit. A real, durable PostgreSQL and three engine nodes, each a \
            process of its
            own, with a lease of %d s. Eight writers append in transactions of one to three events beside the \
            row of each
            event's key, and roll one in twenty back; a scenario strikes meanwhile. Handlers report to a \
            receiver outside
            the nodes and return when it has the report, so that its ledger is whole whoever dies. A promise that is not
            kept makes the command fail.

            Machine: %s.

            """;

    private static final String COLUMNS = """

            ## The columns

            | column | meaning |
            |---|---|
            | fault | what was measured of the fault itself; a fault without such a proof fails the command |
            | events/s | the load that was held: committed events per second, the time of the fault included |
            | committed | events whose transaction committed, by the word of PostgreSQL, also where the \
            writer's commit failed |
            | lost | committed events that never arrived; must be 0 |
            | out of order | events that arrived for the first time before an earlier one of their key; must be 0 |
            | rolled back | events that arrived although their transaction did not commit; must be 0 |
            | duplicates | arrivals beyond the first of each event; a crash allows them, an orderly stop does not |
            | longest lag | the longest time from a commit to the arrival, the time of the fault included |
            | recovery | until the last event had come that was more than a second late, see below |
            | limit | what recovery may take: twice the lease |
            | held | whether all of this, and whatever the scenario promises beyond it, was kept |

            Recovery counts from the end of a fault that ends, and from the beginning of one that does not or \
            that must not
            be felt: the death or the standstill of a node, a node cut off, a transaction held open. 0 means \
            that no event
            was late by more than a second from then on.

            In `deploy` events that the older version skipped come by a replay, in any order; what was dispatched and
            not settled when the filter changed comes again, and how it came to the newer version counts.
            `deploy`, `failover`,
            `segments` and `transactions` also promise that the ledger has each committed event as delivered at the
            end and that nothing waits; all but `failover`, that no transaction of a writer fails. `failover` runs on
            Debian's PostgreSQL 15, and writers and nodes share one way to it.

            ## The scenarios

            | scenario | what happens |
            |---|---|
            """;

    private static final String BROKERS = """

            ## With a broker

            JetStream with its files on one server, and events that go to it and come from it. SIGKILL loses nothing \
            that
            JetStream has acknowledged, because the operating system still writes what it was given; a power cut loses \
            what
            came after the last sync, which is why once in the relay NATS gets an older copy of its storage back: \
            sequence
            numbers are used again then, the guard finds what is gone and dispatches it again, and the inbox drops \
            what it had
            received before. The handler's effect is a row in a table without any constraint, so that a second one \
            would show.
            In the outage, the stream remembers the ids of messages for longer than NATS is away: with a shorter \
            duplicate
            window, what was under way when it went could be in the stream twice.
            """;

    private ReliabilityPage() {}

    static void write(Path file, Report report, String options) throws IOException {
        StringBuilder page = new StringBuilder(
                String.format(Locale.ROOT, HEAD, options, DeliveryNode.LEASE.toSeconds(), report.machine()));
        page.append(row(Report.HEADINGS));
        page.append("|---".repeat(Report.WORDS));
        page.append("|---:".repeat(Report.HEADINGS.size() - Report.WORDS)).append("|\n");
        report.rows().forEach(row -> page.append(row(row)));
        page.append(COLUMNS);
        report.results().forEach(result -> page.append(row(List.of(result.scenario(), result.sentence()))));
        if (!report.brokers().isEmpty()) {
            page.append(BROKERS);
            report.brokers().forEach(result -> page.append(section(result)));
        }
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, page);
    }

    private static String section(BrokerResult result) {
        StringBuilder section = new StringBuilder();
        section.append("\n### ").append(result.scenario()).append("\n\n");
        section.append(result.sentence()).append("\n\n").append(row(List.of("figure", "")));
        section.append("|---|---:|\n");
        result.figures().forEach(figure -> section.append(row(List.of(figure.name(), figure.value()))));
        return section.append(row(List.of("held", result.held() ? "yes" : "NO")))
                .toString();
    }

    private static String row(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }
}
