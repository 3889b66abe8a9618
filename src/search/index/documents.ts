/** The documents of an index, in memory and by columns: an object for each would take five times as much. */
import { GrowingUint8, GrowingUint32 } from '../lexical/growing.ts';
import {
  bytesOf,
  type KeptParts,
  part,
  stringsOf,
  stringsPart,
  wordsPart,
} from '../lexical/parts.ts';
import type { DocumentRows } from '../lexical/whole.ts';
import { LANGUAGES, type Language } from '../words/languages.ts';
import type { DocumentKind, StoredDocument } from './store.ts';

/** A document, as far as a search can be narrowed to it. */
export type HeldDocument = Pick<StoredDocument, 'id' | 'path' | 'updated' | 'kind' | 'language'>;

const KINDS: readonly DocumentKind[] = ['file', 'page', 'issue'];

/**
 * Rows in the order of the documents' ids; a removed one keeps its row. The
 * chunks of a document have slots one after another.
 */
export class HeldDocuments implements DocumentRows {
  readonly #ids = new GrowingUint32();
  readonly #kinds = new GrowingUint8();
  readonly #languages = new GrowingUint8();
  /** How many documents that are there are in each language, by its number. */
  #inLanguage: number[] = LANGUAGES.map(() => 0);
  readonly #alive = new GrowingUint8();
  readonly #firstSlots = new GrowingUint32();
  readonly #slotCounts = new GrowingUint32();
  #paths: string[] = [];
  #updated: string[] = [];
  /** The document of each slot, by row, and the id of its chunk. */
  readonly #owners = new GrowingUint32();
  readonly #chunks = new GrowingUint32();
  #living = 0;

  /** Documents that are there. */
  get living(): number {
    return this.#living;
  }

  /** What the documents are written in. */
  get languages(): Language[] {
    return LANGUAGES.filter((_, number) => (this.#inLanguage[number] ?? 0) > 0);
  }

  /** The highest id that was ever held; 0 without any. */
  get lastId(): number {
    return this.#ids.at(this.#ids.length - 1);
  }

  /** Rows given out so far; those of removed documents count. */
  get size(): number {
    return this.#ids.length;
  }

  get owners(): Uint32Array {
    return this.#owners.slice(0, this.#owners.length);
  }

  get alive(): Uint8Array {
    return this.#alive.slice(0, this.size);
  }

  firstSlot(row: number): number {
    return this.#firstSlots.at(row);
  }

  endSlot(row: number): number {
    return this.#firstSlots.at(row) + this.#slotCounts.at(row);
  }

  /** Adds a document whose id is higher than all before. */
  add({ id, path, updated, kind, language }: HeldDocument): void {
    this.#ids.push(id);
    this.#kinds.push(KINDS.indexOf(kind));
    const number = LANGUAGES.indexOf(language);
    this.#languages.push(number);
    this.#inLanguage[number] = (this.#inLanguage[number] ?? 0) + 1;
    this.#alive.push(1);
    this.#firstSlots.push(this.#owners.length);
    this.#slotCounts.push(0);
    this.#paths.push(path);
    this.#updated.push(updated);
    this.#living += 1;
  }

  /** The next slot is a chunk of the document that was added last. */
  addChunk(id: number): void {
    const row = this.size - 1;
    this.#owners.push(row);
    this.#chunks.push(id);
    this.#slotCounts.set(row, this.#slotCounts.at(row) + 1);
  }

  /** Forgets a document; the slots of its chunks. */
  remove(id: number): number[] {
    const row = this.#rowOf(id);
    if (row === -1 || this.#alive.at(row) === 0) return [];
    this.#alive.set(row, 0);
    this.#living -= 1;
    const language = this.#languages.at(row);
    this.#inLanguage[language] = (this.#inLanguage[language] ?? 1) - 1;
    return this.#slotsOf(row);
  }

  /** The slots of a document: its first, and the one after its last; no slot where it is not there. */
  slots(id: number): { first: number; end: number } {
    const row = this.#rowOf(id);
    const first = row === -1 ? 0 : this.#firstSlots.at(row);
    return { first, end: row === -1 ? 0 : first + this.#slotCounts.at(row) };
  }

  /** The document of a slot. */
  owner(slot: number): HeldDocument {
    return this.#document(this.#owners.at(slot));
  }

  chunkId(slot: number): number {
    return this.#chunks.at(slot);
  }

  /** The documents that are there and whose paths this is true of, with the slots of each, from `first` up to `end`. */
  *all(
    accepts: (path: string) => boolean = () => true,
  ): Iterable<{ document: HeldDocument; first: number; end: number }> {
    for (let row = 0; row < this.size; row++) {
      if (this.#alive.at(row) === 0 || !accepts(this.#paths[row] ?? '')) continue;
      const first = this.#firstSlots.at(row);
      yield { document: this.#document(row), first, end: first + this.#slotCounts.at(row) };
    }
  }

  parts(): KeptParts {
    const whole = (array: GrowingUint32): Uint8Array => bytesOf(array.slice(0, array.length));
    return new Map([
      ['document ids', whole(this.#ids)],
      ['document kinds', this.#kinds.slice(0, this.size)],
      ['document languages', this.#languages.slice(0, this.size)],
      ['document alive', this.#alive.slice(0, this.size)],
      ['document slots', whole(this.#firstSlots)],
      ['document chunks', whole(this.#slotCounts)],
      ['document paths', stringsPart(this.#paths)],
      ['document updated', stringsPart(this.#updated)],
      ['chunk owners', whole(this.#owners)],
      ['chunk ids', whole(this.#chunks)],
    ]);
  }

  restore(parts: KeptParts): void {
    this.#ids.restore(wordsPart(parts, 'document ids'));
    this.#kinds.restore(part(parts, 'document kinds'));
    this.#languages.restore(part(parts, 'document languages'));
    this.#alive.restore(part(parts, 'document alive'));
    this.#firstSlots.restore(wordsPart(parts, 'document slots'));
    this.#slotCounts.restore(wordsPart(parts, 'document chunks'));
    this.#paths = stringsOf(parts, 'document paths');
    this.#updated = stringsOf(parts, 'document updated');
    this.#owners.restore(wordsPart(parts, 'chunk owners'));
    this.#chunks.restore(wordsPart(parts, 'chunk ids'));
    this.#inLanguage = LANGUAGES.map(() => 0);
    this.#living = 0;
    for (let row = 0; row < this.size; row++) {
      if (this.#alive.at(row) === 0) continue;
      this.#living += 1;
      const language = this.#languages.at(row);
      this.#inLanguage[language] = (this.#inLanguage[language] ?? 0) + 1;
    }
  }

  #document(row: number): HeldDocument {
    return {
      id: this.#ids.at(row),
      path: this.#paths[row] ?? '',
      updated: this.#updated[row] ?? '',
      kind: KINDS[this.#kinds.at(row)] ?? 'file',
      language: LANGUAGES[this.#languages.at(row)] ?? 'en',
    };
  }

  #slotsOf(row: number): number[] {
    const first = this.#firstSlots.at(row);
    return Array.from({ length: this.#slotCounts.at(row) }, (_, index) => first + index);
  }

  /** The row of an id, -1 where there is none. */
  #rowOf(id: number): number {
    let low = 0;
    let high = this.size - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const there = this.#ids.at(middle);
      if (there === id) return middle;
      if (there < id) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}
