package io.postrider.simulation;

import io.postrider.Lane;
import io.postrider.store.Watch;
import io.postrider.store.snapshot.FreshCommits;
import io.postrider.store.snapshot.SnapshotRead;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** What a store answers to reads and looks, with something left out. */
final class MutatedReads {
    private MutatedReads() {}

    static SnapshotRead withoutLate(SnapshotRead read) {
        return new SnapshotRead(
                List.of(),
                read.fresh(),
                read.snapshot(),
                read.bound(),
                read.head(),
                true,
                read.lateExhausted() && read.freshExhausted());
    }

    static Watch.News wakingUnless(Watch.News news, UnaryOperator<Watch.Commits> read) {
        Map<Lane, Watch.Commits> lanes = new HashMap<>();
        news.lanes().forEach((lane, commits) -> lanes.put(lane, read.apply(commits)));
        return new Watch.News(lanes, news.unowned(), news.cursor());
    }

    static Watch.Commits withoutXids(Watch.Commits commits) {
        FreshCommits fresh = (FreshCommits) commits;
        return new FreshCommits(
                fresh.incarnation(),
                fresh.commits().stream()
                        .map(commit -> new FreshCommits.Commit(commit.position(), 0))
                        .toList(),
                fresh.complete());
    }
}
