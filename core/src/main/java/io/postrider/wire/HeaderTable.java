package io.postrider.wire;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The headers of one message, in their order. Immutable.
 *
 * <p>An array and no hash table, because each message has its own: there are few, they are made once, and then gone
 * through once.
 */
final class HeaderTable extends AbstractMap<String, String> {
    /** Names and values in turn. */
    private final String[] cells;

    private HeaderTable(String[] cells) {
        this.cells = cells;
    }

    static HeaderTable copyOf(Map<String, String> headers) {
        if (headers instanceof HeaderTable table) {
            return table;
        }
        Builder copy = new Builder(headers.size());
        headers.forEach(copy::add);
        return copy.build();
    }

    @Override
    public int size() {
        return cells.length / 2;
    }

    @Override
    public @Nullable String get(@Nullable Object name) {
        int at = find(cells, cells.length, name);
        return at < 0 ? null : cells[at + 1];
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
        return find(cells, cells.length, name) >= 0;
    }

    private static int find(String[] cells, int end, @Nullable Object name) {
        for (int i = 0; i < end; i += 2) {
            if (cells[i].equals(name)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public void forEach(BiConsumer<? super String, ? super String> action) {
        for (int i = 0; i < cells.length; i += 2) {
            action.accept(cells[i], cells[i + 1]);
        }
    }

    @Override
    public Set<Map.Entry<String, String>> entrySet() {
        return new Entries();
    }

    private final class Entries extends AbstractSet<Map.Entry<String, String>> {
        @Override
        public int size() {
            return HeaderTable.this.size();
        }

        @Override
        public Iterator<Map.Entry<String, String>> iterator() {
            return new Iterator<>() {
                private int next;

                @Override
                public boolean hasNext() {
                    return next < cells.length;
                }

                @Override
                public Map.Entry<String, String> next() {
                    if (!hasNext()) {
                        throw new NoSuchElementException();
                    }
                    next += 2;
                    return new SimpleImmutableEntry<>(cells[next - 2], cells[next - 1]);
                }
            };
        }
    }

    /** Not thread-safe. */
    static final class Builder {
        private String[] cells;
        private int end;

        /** @param headers how many there will be, roughly */
        Builder(int headers) {
            this.cells = new String[headers * 2];
        }

        /** One whose name no other has. */
        void add(String name, String value) {
            if (end == cells.length) {
                cells = Arrays.copyOf(cells, end + end / 2 + 2);
            }
            cells[end] = name;
            cells[end + 1] = value;
            end += 2;
        }

        /** One that takes the place of another of its name. */
        void put(String name, String value) {
            int at = find(cells, end, name);
            if (at < 0) {
                add(name, value);
            } else {
                cells[at + 1] = value;
            }
        }

        HeaderTable build() {
            return new HeaderTable(end == cells.length ? cells : Arrays.copyOf(cells, end));
        }
    }
}
