/**
 * The rows of a session's tree as columns of numbers, and the row of an id.
 * Plain numbers in blocks cost no object a row, and growing never copies.
 */

/** The numbers that are kept of a row. */
export const COLUMN = { parent: 0, type: 1, source: 2, line: 3, offset: 4, length: 5 } as const;
const WIDTH = 6;
/** Rows of a block, as a power of two. */
const BLOCK_BITS = 12;
const IN_BLOCK = (1 << BLOCK_BITS) - 1;

/** Numbers by row and column. */
export class NumberRows {
  readonly #blocks: Float64Array[] = [];
  #size = 0;

  /** Adds a row, the numbers in the order of {@link COLUMN}. */
  push(
    parent: number,
    type: number,
    source: number,
    line: number,
    offset: number,
    length: number,
  ): void {
    const row = this.#size++;
    let block = this.#blocks[row >> BLOCK_BITS];
    if (block === undefined) {
      block = new Float64Array(WIDTH << BLOCK_BITS);
      this.#blocks.push(block);
    }
    const at = (row & IN_BLOCK) * WIDTH;
    block[at] = parent;
    block[at + 1] = type;
    block[at + 2] = source;
    block[at + 3] = line;
    block[at + 4] = offset;
    block[at + 5] = length;
  }

  /** undefined for a row that was never added. */
  get(row: number, column: number): number | undefined {
    if (row >= this.#size) return undefined;
    return this.#blocks[row >> BLOCK_BITS]?.[(row & IN_BLOCK) * WIDTH + column];
  }
}

/**
 * Finds the row of an id. Ids grow along the file, so that a binary search
 * does; only where they do not (a damaged file, a fork made by a clock that was
 * behind) is a map kept.
 */
export class IdRows {
  readonly ids: string[] = [];
  #rows: Map<string, number> | null = null;

  /** Adds an id as the next row. @returns whether it was there before; its last row counts */
  add(id: string): boolean {
    const row = this.ids.length;
    const last = this.ids[row - 1];
    if (this.#rows === null && last !== undefined && id <= last)
      this.#rows = new Map(this.ids.map((each, index) => [each, index]));
    const doubled = this.#rows?.has(id) ?? false;
    this.#rows?.set(id, row);
    this.ids.push(id);
    return doubled;
  }

  row(id: string): number | undefined {
    if (this.#rows !== null) return this.#rows.get(id);
    const { ids } = this;
    let high = ids.length - 1;
    // By far most questions are about the last one.
    if (ids[high] === id) return high;
    for (let low = 0; low <= high; ) {
      const middle = (low + high) >> 1;
      const found = ids[middle] ?? '';
      if (found === id) return middle;
      if (found < id) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }
}
