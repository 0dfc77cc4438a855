package io.postrider.store.snapshot;

import io.postrider.store.Cursor;
import io.postrider.store.Ownership;
import io.postrider.store.Watch;
import java.util.List;

/**
 * The commits of a look by position and xid. By the first invariant of {@link SnapshotCursor} a lane has read a commit
 * exactly if its last read came to that position in a snapshot that sees that xid: the position alone is drawn before
 * the commit, and the xid alone may have events behind the end of a page.
 *
 * @param incarnation the store's life in which these positions and xids were drawn; after a crash others have the same
 * @param commits at most {@link #FEW}
 * @param complete there are no others; false if more were found, or some of them late
 */
public record FreshCommits(String incarnation, List<Commit> commits, boolean complete) implements Watch.Commits {
    /** A look names so many commits of a lane. Where there are more, the lane has something to read as a rule. */
    public static final int FEW = 4;

    /** One event of a transaction. */
    public record Commit(long position, long xid) {}

    public FreshCommits {
        commits = List.copyOf(commits);
        if (commits.size() > FEW) {
            throw new IllegalArgumentException("a look names at most " + FEW + " commits, got " + commits.size());
        }
    }

    @Override
    public boolean areRead(Ownership reader, Cursor reached) {
        return complete
                && reader.incarnation().equals(incarnation)
                && commits.stream()
                        .allMatch(commit -> SnapshotCursor.of(reached).hasPassed(commit.position(), commit.xid()));
    }
}
