/** A seeded generator of pseudo-random numbers, so that the demo world is the same everywhere. */
export interface Prng {
  /** An integer from 0 to `below` - 1. */
  int(below: number): number;
  /** One of `items`. @throws RangeError when there is none */
  pick<Item>(items: readonly Item[]): Item;
  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean;
}

/** mulberry32: 32 bits of state, good enough for test data, the same on every machine. */
export function createPrng(seed: number): Prng {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    chance: (percent) => int(100) < percent,
    pick: (items) => {
      const item = items[int(items.length)];
      if (item === undefined) throw new RangeError('pick from an empty list');
      return item;
    },
  };
}
