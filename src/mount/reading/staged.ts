/** What is staged over the files of one mount: asked of the journal again only once that has changed. */
import type { Change } from '../../changes/change.ts';
import type { ChangeJournal } from '../../changes/journal.ts';

/** Pending changes, oldest first. */
export interface StagedChanges {
  readonly all: readonly Change[];
  /** The latest of each path. */
  readonly byPath: ReadonlyMap<string, Change>;
}

export class Staged {
  readonly #changes: ChangeJournal;
  readonly #mount: string;
  #generation: string | null = null;
  #held: StagedChanges = { all: [], byPath: new Map() };

  /** @param mount its name in the journal */
  constructor(changes: ChangeJournal, mount: string) {
    this.#changes = changes;
    this.#mount = mount;
  }

  /** As of now. */
  now(): StagedChanges {
    const generation = this.#changes.generation();
    if (generation !== this.#generation) {
      // A call shows in no file: nobody knows what it will change.
      const all = this.#changes
        .list({ mount: this.#mount, state: 'pending' })
        .filter(({ op }) => op !== 'call');
      this.#held = { all, byPath: new Map(all.map((change) => [change.path, change])) };
      this.#generation = generation;
    }
    return this.#held;
  }
}
