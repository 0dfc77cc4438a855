package io.postrider.simulation;

import io.postrider.operate.Delivery;
import io.postrider.store.Ownership;
import io.postrider.store.Park;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Looks at delivery rows, of which a mutation leaves one out: an owner without it knows only what its window has. */
class MutatedPark implements Park {
    private final Park park;

    MutatedPark(Park park) {
        this.park = park;
    }

    @Override
    public Window window(Ownership ownership, View view) {
        return park.window(ownership, view);
    }

    @Override
    public Set<String> blocked(Ownership ownership, Wanted rows, Collection<String> keys) {
        return park.blocked(ownership, rows, keys);
    }

    @Override
    public List<Delivery> follow(Ownership ownership, Wanted rows, Collection<String> keys, int most) {
        return park.follow(ownership, rows, keys, most);
    }

    @Override
    public Promoted promote(Ownership ownership, Wanted rows, String after, int most) {
        return park.promote(ownership, rows, after, most);
    }

    /** No key has a row of which only the store knows. */
    static final class WithoutBlocked extends MutatedPark {
        WithoutBlocked(Park park) {
            super(park);
        }

        @Override
        public Set<String> blocked(Ownership ownership, Wanted rows, Collection<String> keys) {
            return Set.of();
        }
    }

    /** No key has rows that follow. */
    static final class WithoutFollow extends MutatedPark {
        WithoutFollow(Park park) {
            super(park);
        }

        @Override
        public List<Delivery> follow(Ownership ownership, Wanted rows, Collection<String> keys, int most) {
            return List.of();
        }
    }

    /** No row waits behind nothing. */
    static final class WithoutSweep extends MutatedPark {
        WithoutSweep(Park park) {
            super(park);
        }

        @Override
        public Promoted promote(Ownership ownership, Wanted rows, String after, int most) {
            return new Promoted(null, 0);
        }
    }
}
