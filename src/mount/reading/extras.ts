/** The files that the core adds to every table: the mount's README.md, and `.last` and `.error`. */
import type { ChangeJournal } from '../../changes/journal.ts';
import type { Service } from '../table/route.ts';
import type { RouteTable } from '../table/table.ts';
import type { Writer } from '../writing/writer.ts';
import type { Freshness } from './freshness.ts';
import { renderReadme } from './readme.ts';

/** Listed in the root of the mount. */
export const README = 'README.md';
/** Found when named, in any directory where something was written. */
const LAST = '.last';
const ERROR = '.error';

export interface ExtrasOptions {
  service: Service;
  name: string;
  changes: ChangeJournal;
  writer: Writer;
  freshness: Freshness;
  /** True: writes become pending changes. */
  stage: boolean;
  table: RouteTable;
  /** Where the mount is attached, so that `.last` gives absolute paths. */
  attachedAt?: string;
}

export class Extras {
  readonly #options: ExtrasOptions;

  constructor(options: ExtrasOptions) {
    this.#options = options;
  }

  /** Is a path one of these names, whether there is anything to tell or not? */
  has(path: string): boolean {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return path === `/${README}` || name === LAST || name === ERROR;
  }

  /** The file's bytes; null when the path is none of these, or there is nothing to tell. */
  read(path: string): Uint8Array | null {
    if (path === `/${README}`) return Buffer.from(renderReadme(this.#options));
    const slash = path.lastIndexOf('/');
    const name = path.slice(slash + 1);
    if (name !== LAST && name !== ERROR) return null;
    const directory = path.slice(0, slash);
    const text = name === LAST ? this.#last(directory) : this.#error(directory);
    return text === null ? null : Buffer.from(text);
  }

  #error(directory: string): string | null {
    const text = this.#options.changes.lastError(this.#options.name, directory);
    return text === null ? null : `${text}\n`;
  }

  /**
   * One path: of what the last write to `new.md`, or the like, made, or, where it made nothing
   * (yet), of its change, whose files say why.
   */
  #last(directory: string): string | null {
    const { writer, table } = this.#options;
    const made = table.newIn(directory);
    const change = made === null ? null : writer.last(`${directory}/${made}`);
    if (change === null) return null;
    if (change.state !== 'applied' || change.result === null) {
      return `/session/changes/${change.id}\n`;
    }
    const { attachedAt } = this.#options;
    return attachedAt === undefined
      ? `${change.result.path.slice(directory.length + 1)}\n`
      : `${attachedAt}${change.result.path}\n`;
  }
}
