/** What a place holds: a file's bytes, or a text that is made of the document beside it. */
import { FsError } from '../errors.ts';
import type { Guard } from './guard.ts';
import type { HeldWrites } from './held-writes.ts';
import type { MountTable, Place } from './table.ts';
import { TextFile } from './text-file.ts';

export class Reads {
  readonly #table: MountTable;
  readonly #guard: Guard;
  readonly #held: HeldWrites;

  constructor(table: MountTable, guard: Guard, held: HeldWrites) {
    this.#table = table;
    this.#guard = guard;
    this.#held = held;
  }

  /** @param allowed the gate was asked already */
  async read(place: Place, allowed = false): Promise<Uint8Array> {
    if (this.#table.isPinned(place.path))
      throw new FsError('EISDIR', { path: place.named, op: 'read' });
    if (this.#held.has(place.path)) return new Uint8Array();
    if (place.document !== undefined) return this.#text(place, place.document, allowed);
    const { mount } = place.at;
    if (mount.endless?.(this.#table.place(place.path).inside) === true) {
      this.#guard.faults.recordEndless(place.path);
    }
    const read = (): Promise<Uint8Array> =>
      this.#guard.ask(place, 'read', (at, inside) => at.read(inside));
    return this.#guard.keeper === null ? read() : this.#guard.read(place, read, allowed);
  }

  /** A text is read by whoever may read it and its document, as the hooks leave both. */
  async #text(place: Place, document: Place, allowed: boolean): Promise<Uint8Array> {
    await this.allowText(place, document, allowed);
    const bytes = await this.read(document, true);
    const { mount } = place.at;
    const make = async (): Promise<Uint8Array> =>
      mount instanceof TextFile ? mount.of(bytes, place.named) : bytes;
    return this.#guard.read(place, make, true);
  }

  /** @param allowed the gate was asked about the text already, and not about its document */
  async allowText(place: Place, document: Place, allowed: boolean): Promise<void> {
    if (this.#guard.keeper?.watchesReads !== true) return;
    const read = { op: 'read', place: document } as const;
    await this.#guard.allowAll(allowed ? [read] : [{ op: 'read', place }, read]);
  }
}
