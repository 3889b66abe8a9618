/** What of the host an agent may write: the directories of mounts, all of them or what globs name. */
import fs from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isInside } from '../../disk/host.ts';
import type { Mode } from '../../mount/contract/contract.ts';
import type { Access } from '../../policy/gate.ts';
import { matcherOf, scanGlob } from '../../policy/glob.ts';
import type { MountSpec } from '../protocol.ts';

/** What in a package decides what it is. */
const IN_PACKAGE = ['', '/package.json', '/index.js', '/index.mjs', '/dist/index.js'];

/** A directory of the host that can be written from inside. */
export class Writable {
  /** Where it is mounted. */
  readonly point: string;
  /** A real path. */
  readonly root: string;
  /** Whether a path in it may be written; null where every path may. */
  readonly #matches: ((path: string) => boolean) | null;
  /** The directories that the globs begin with. */
  readonly #bases: readonly string[];

  /** @param globs relative to the root; null for everything */
  constructor(point: string, root: string, globs: readonly string[] | null) {
    this.point = point;
    this.root = fs.realpathSync.native(root);
    const plain = globs?.map((glob) => glob.replace(/^\/+/, '')) ?? [];
    const matchers = plain.map((glob) => matcherOf(glob));
    this.#matches = globs === null ? null : (path) => matchers.some((matches) => matches(path));
    this.#bases = plain.map((glob) => join(this.root, scanGlob(glob).base));
  }

  get whole(): boolean {
    return this.#matches === null;
  }

  /** Can a path, or a directory above it in the root, be made, changed or replaced? */
  reaches(path: string): boolean {
    if (!isInside(this.root, path)) return false;
    const matches = this.#matches;
    if (matches === null) return true;
    const names = relative(this.root, path).split(sep);
    return names.some((_, index) => matches(names.slice(0, index + 1).join('/')));
  }

  /**
   * Can anything be written in a directory, or below it?
   * @param names what in it is asked for; globs are tried with these, as with packages
   */
  reachesInto(directory: string, names: readonly string[] = []): boolean {
    if (this.reaches(directory)) return true;
    if (isInside(directory, this.root)) return true;
    if (!isInside(this.root, directory)) return false;
    return (
      this.#bases.some((base) => base !== this.root && isInside(directory, base)) ||
      // A name of no meaning tells of a glob for all that there may be.
      ['any', ...names].some((name) =>
        IN_PACKAGE.some((file) => this.reaches(join(directory, name + file))),
      )
    );
  }
}

const isWritable = (mode: Mode): boolean => mode !== 'ro';

/** What a mount lets an agent write of a directory; null for nothing. */
function writableOf(point: string, root: string, { mode, rules = [] }: Access): Writable | null {
  // A rule that takes a name out of what may be written says nothing of other names that lead to it.
  if (isWritable(mode)) return new Writable(point, root, null);
  const globs = rules.filter((rule) => isWritable(rule.mode)).map(({ pattern }) => pattern);
  return globs.length === 0 ? null : new Writable(point, root, globs);
}

/** The directories of the host that the mounts of a world let an agent write. */
export function writableDirectories(mounts: readonly MountSpec[]): Writable[] {
  return mounts.flatMap(({ point, source, access }) => {
    const root =
      source.kind === 'disk' ? source.root : source.kind === 'harness' ? source.own : null;
    return (root === null ? null : writableOf(point, root, access)) ?? [];
  });
}
