/**
 * What is there before an operation. A person approves what they were shown, so
 * the approval is bound to it: what is at each place, told from anything else.
 */
import { createHash } from 'node:crypto';
import { isFsError } from '../errors.ts';
import type { Dirent, FileType, MountStat } from '../mount/contract/contract.ts';
import type { Operation } from '../policy/gate.ts';
import type { Place } from './table.ts';
import type { Wish } from './wish.ts';

/** What is at a place. */
export interface State {
  type: FileType | 'nothing';
  /** Permission bits. */
  mode: number;
  /** Bytes of a file: to be shown, since a service may only estimate it until the file was read. */
  size: number;
  /** ms since the epoch; null where the operation leaves it behind. */
  mtime: number | null;
  /** Tells the content of a file, the names in a directory or the target of a link from any other. */
  content: string;
}

const NOTHING: State = { type: 'nothing', mode: 0, size: 0, mtime: null, content: '' };

/** How to look at a place: as the mount has it, past hooks, and without what is held back for it. */
export interface Looks {
  /** null where nothing is. */
  stat(place: Place): Promise<MountStat | null>;
  read(place: Place): Promise<Uint8Array>;
  list(place: Place): Promise<Dirent[]>;
  readlink(place: Place): Promise<string>;
  /** Would reading the file cost a request of its own? */
  costly(place: Place): boolean;
}

/** What the operations of a set find at their places. */
export class States {
  readonly #looks: Looks;

  constructor(looks: Looks) {
    this.#looks = looks;
  }

  /** By path; a place that several wishes name is looked at once. */
  async before(wishes: readonly Wish[]): Promise<ReadonlyMap<string, State>> {
    const ops = new Map<string, { place: Place; ops: Set<Operation> }>();
    for (const { op, place } of wishes) {
      const known = ops.get(place.path);
      if (known === undefined) ops.set(place.path, { place, ops: new Set([op]) });
      else known.ops.add(op);
    }
    const states = new Map<string, State>();
    for (const [path, each] of ops) states.set(path, await this.#at(each.place, each.ops));
    return states;
  }

  async #at(place: Place, ops: ReadonlySet<Operation>): Promise<State> {
    const stat = await this.#looks.stat(place);
    if (stat === null) return NOTHING;
    const { type, mode, size } = stat;
    const whole = type === 'file' && [...ops].some((op) => op !== 'read');
    // What is moved keeps its time, so that belongs to what is approved.
    const mtime = ops.has('rename') ? stat.mtime.getTime() : null;
    const content = await this.#content(place, stat, ops);
    return { type, mode, size: whole ? size : 0, mtime, content };
  }

  async #content(
    place: Place,
    { type, mtime, ino }: MountStat,
    ops: ReadonlySet<Operation>,
  ): Promise<string> {
    const looks = this.#looks;
    // What may be read may be read as it is by then: a log grows while it is asked for.
    if ([...ops].every((op) => op === 'read')) return '';
    try {
      if (type === 'symlink') return await looks.readlink(place);
      if (type === 'directory') {
        return [...ops].some((op) => ON_CONTENTS.has(op))
          ? sha256(JSON.stringify(named(await looks.list(place))))
          : '';
      }
      // To remove a record of a service it need not be fetched: the service tells its version.
      if ([...ops].every((op) => REMOVING.has(op)) && looks.costly(place))
        return `as of ${mtime.toISOString()}, ${ino ?? ''}`;
      return sha256(await looks.read(place));
    } catch (error) {
      // The operation itself tells why; here it is a content like no other.
      if (isFsError(error)) return `not readable: ${error.code}`;
      throw error;
    }
  }
}

const named = (rows: readonly Dirent[]): string[] =>
  rows.map(({ name, type }) => `${type} ${name}`).sort();

/** What tells what is at a place from anything else. */
export const stateDigest = ({ type, mode, mtime, content }: State = NOTHING): string =>
  sha256(JSON.stringify([type, mode, mtime, content]));

/** Of bytes, or of text as UTF-8, in hexadecimal. */
export const sha256 = (data: Uint8Array | string): string =>
  createHash('sha256').update(data).digest('hex');

/** Operations on a directory that concern what is in it. */
const ON_CONTENTS: ReadonlySet<Operation> = new Set<Operation>([
  'rename',
  'rmdir',
  'create',
  'write',
  'mkdir',
]);

const REMOVING: ReadonlySet<Operation> = new Set<Operation>(['unlink', 'rmdir']);
