/** The best slots of an array of scores, without sorting them all. */

/**
 * Slots of the `count` largest scores above `floor`, largest first; of equals the
 * earlier slot first. Slots that `allowed` has no 1 for are passed over.
 */
export function best(
  scores: Float32Array,
  count: number,
  allowed: Uint8Array | null,
  floor = Number.NEGATIVE_INFINITY,
): number[] {
  // A heap whose root is the worst of those held.
  const heap: number[] = [];
  const worse = (a: number, b: number): boolean => {
    const x = scores[a] as number;
    const y = scores[b] as number;
    return x < y || (x === y && a > b);
  };
  let least = floor;
  for (let slot = 0; slot < scores.length; slot++) {
    const score = scores[slot] as number;
    if (!(score > least) || (allowed !== null && allowed[slot] !== 1)) continue;
    if (heap.length < count) {
      heap.push(slot);
      rise(heap, worse);
    } else {
      heap[0] = slot;
      sink(heap, worse);
    }
    if (heap.length === count) least = scores[heap[0] ?? 0] ?? floor;
  }
  return heap.sort((a, b) => (worse(b, a) ? -1 : 1));
}

type Worse = (a: number, b: number) => boolean;

function rise(heap: number[], worse: Worse): void {
  let at = heap.length - 1;
  while (at > 0) {
    const up = (at - 1) >> 1;
    const own = heap[at] ?? 0;
    const above = heap[up] ?? 0;
    if (!worse(own, above)) return;
    heap[at] = above;
    heap[up] = own;
    at = up;
  }
}

function sink(heap: number[], worse: Worse): void {
  let at = 0;
  for (;;) {
    let least = at;
    for (let child = 2 * at + 1; child <= 2 * at + 2; child++) {
      if (child < heap.length && worse(heap[child] ?? 0, heap[least] ?? 0)) least = child;
    }
    if (least === at) return;
    const held = heap[at] ?? 0;
    heap[at] = heap[least] ?? 0;
    heap[least] = held;
    at = least;
  }
}
