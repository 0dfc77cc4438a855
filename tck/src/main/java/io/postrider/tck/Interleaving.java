package io.postrider.tck;

import io.postrider.store.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Transactions that begin, append, commit and roll back in a random order, with reads of random sizes in between. */
final class Interleaving<T> {
    private static final int OPEN_MAX = 5;

    private final Random random;
    private final StoreCase<T> store;
    private final LaneReader reader;
    private final String key;
    private final List<Open<T>> open = new ArrayList<>();
    private final List<List<String>> transactions = new ArrayList<>();
    private final List<String> read = new ArrayList<>();
    private int drawn;

    private record Open<T>(T transaction, List<String> texts) {}

    Interleaving(long seed, StoreCase<T> store, LaneReader reader, String key) {
        this.random = new Random(seed);
        this.store = store;
        this.reader = reader;
        this.key = key;
    }

    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            step();
        }
        while (!open.isEmpty()) {
            end();
        }
        reader.drain(3).forEach(event -> read.add(LaneReader.text(event)));
    }

    List<String> read() {
        return read;
    }

    /** What each committed transaction appended, in its order. */
    List<List<String>> transactions() {
        return transactions;
    }

    List<String> committed() {
        return transactions.stream().flatMap(List::stream).toList();
    }

    private void step() {
        int choice = random.nextInt(10);
        if (choice < 2 && open.size() < OPEN_MAX) {
            open.add(new Open<>(store.fixture.begin(), new ArrayList<>()));
        } else if (choice < 6 && !open.isEmpty()) {
            append(open.get(random.nextInt(open.size())));
        } else if (choice < 8 && !open.isEmpty()) {
            end();
        } else {
            read(1 + random.nextInt(4));
        }
    }

    private void append(Open<T> into) {
        for (int i = random.nextInt(3); i >= 0; i--) {
            String text = "n" + drawn++;
            store.append(into.transaction(), key, text);
            into.texts().add(text);
        }
    }

    private void end() {
        Open<T> ended = open.remove(random.nextInt(open.size()));
        if (random.nextInt(4) == 0) {
            store.fixture.rollback(ended.transaction());
        } else {
            store.fixture.commit(ended.transaction());
            if (!ended.texts().isEmpty()) {
                transactions.add(ended.texts());
            }
        }
    }

    private void read(int most) {
        Page page = reader.peek(most);
        int handled = random.nextInt(page.events().size() + 1);
        reader.handle(page, handled).forEach(event -> read.add(LaneReader.text(event)));
    }
}
