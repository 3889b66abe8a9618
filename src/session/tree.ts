/**
 * The tree of a session: which entry follows which, and where each stands in
 * its file. It holds no content, so that a million entries fit in memory, and
 * adding one costs the same however many there are.
 */
import type { Entry } from './entry.ts';
import { COLUMN, IdRows, NumberRows } from './rows.ts';
import { foldUsage, newUsage, type SessionUsage } from './usage.ts';

/** The parent of a row that has none. */
const NO_PARENT = -1;

/** Where an entry stands. */
export interface Place {
  /** The number of the file: a fork goes on from the file of its parent. */
  source: number;
  /** The number of the line, from 1. */
  line: number;
  offset: number;
  /** Bytes of the line, its newline left out. */
  length: number;
}

/** Rows in the order of the file; everything is found by the number of its row. */
export class SessionTree {
  /** What was spent, by the entries of this session alone. */
  readonly usage: SessionUsage = newUsage();
  readonly #ids = new IdRows();
  readonly #numbers = new NumberRows();
  /** The types that occur; a row has the number of its own. */
  readonly #types: string[] = [];
  readonly #typeNumbers = new Map<string, number>();
  readonly #labels = new Map<string, string>();
  /** Commands that were started and not ended: row of the start by its id. */
  readonly #open = new Map<string, number>();

  get size(): number {
    return this.#ids.ids.length;
  }

  /** The entry that the next one follows: always the last of the file. */
  get leaf(): string | null {
    return this.#ids.ids.at(-1) ?? null;
  }

  /**
   * @param own false for an entry inherited from a parent session
   * @param bridge stands in for a parent that is lost; null for none at all
   * @returns what is wrong with the entry's place in the tree; it is added all the same
   */
  add(entry: Entry, place: Place, own: boolean, bridge?: string | null): string | null {
    const row = this.size;
    const parentId = bridge === undefined ? entry.parentId : bridge;
    const parent = parentId === null ? NO_PARENT : this.#ids.row(parentId);
    const doubled = this.#ids.add(entry.id);
    const { source, line, offset, length } = place;
    const type = this.#typeNumber(entry.type);
    this.#numbers.push(parent ?? NO_PARENT, type, source, line, offset, length);
    this.#fold(entry, row, own);
    if (doubled) return `its id ${entry.id} was given before`;
    return parent === undefined ? `its parent ${entry.parentId} is not in the log` : null;
  }

  has(id: string): boolean {
    return this.#ids.row(id) !== undefined;
  }

  row(id: string): number | undefined {
    return this.#ids.row(id);
  }

  id(row: number): string {
    return this.#ids.ids[row] ?? '';
  }

  type(row: number): string {
    return this.#types[this.#numbers.get(row, COLUMN.type) ?? -1] ?? '';
  }

  /** The parent's row; -1 for none. */
  parent(row: number): number {
    return this.#numbers.get(row, COLUMN.parent) ?? NO_PARENT;
  }

  place(row: number): Place {
    const number = (column: number): number => this.#numbers.get(row, column) ?? 0;
    return {
      source: number(COLUMN.source),
      line: number(COLUMN.line),
      offset: number(COLUMN.offset),
      length: number(COLUMN.length),
    };
  }

  /** The rows from an entry's to the first of its branch: newest first. */
  *up(from: string | null = this.leaf): Generator<number> {
    const row = from === null ? undefined : this.#ids.row(from);
    for (let at = row ?? NO_PARENT; at !== NO_PARENT; at = this.parent(at)) yield at;
  }

  /** The entry of a row that is no bookkeeping: what `leaf`, `label` and `signature` entries stand behind. */
  standing(row: number): number {
    let at = row;
    while (at !== NO_PARENT && isBookkeeping(this.type(at))) at = this.parent(at);
    return at;
  }

  label(id: string): string | undefined {
    return this.#labels.get(id);
  }

  /** The ids that bear a label. */
  labelled(label: string): string[] {
    return [...this.#labels].filter(([, each]) => each === label).map(([id]) => id);
  }

  ids(): readonly string[] {
    return this.#ids.ids;
  }

  /** Was this `bash_start` never ended? */
  isInterrupted(id: string): boolean {
    return this.#open.has(id);
  }

  #typeNumber(type: string): number {
    const known = this.#typeNumbers.get(type);
    if (known !== undefined) return known;
    this.#typeNumbers.set(type, this.#types.length);
    return this.#types.push(type) - 1;
  }

  #fold(entry: Entry, row: number, own: boolean): void {
    if (own) foldUsage(this.usage, entry);
    if (entry.type === 'bash_start') this.#open.set(entry.id, row);
    else if (entry.type === 'bash_end') this.#open.delete(String(entry['start']));
    else if (entry.type === 'label') {
      const { target, label } = entry as Entry & { target: string; label: string | null };
      if (label === null) this.#labels.delete(target);
      else this.#labels.set(target, label);
    }
  }
}

/** Does an entry of this type say something about the tree, and nothing in it? */
export const isBookkeeping = (type: string): boolean =>
  type === 'leaf' || type === 'label' || type === 'signature';
