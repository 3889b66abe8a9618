/**
 * A mount that shows the deployment's harness over the package's. What is
 * written goes to the deployment's; a file of the package can be replaced there,
 * and not removed. `/.errors` tells what is wrong, in no listing, made when it
 * is read.
 */

import { DiskMount } from '../disk/mount.ts';
import { FsError, isFsError } from '../errors.ts';
import type { Dirent, Mount, MountStat } from '../mount/contract/contract.ts';

/** What it is made with: directories of the host. */
export interface HarnessMountOptions {
  /** The deployment's; null without one: then nothing can be written. */
  own: string | null;
  /** The package's. */
  defaults: string;
  /** What is wrong with the harness now, as text. */
  errors(): Promise<string>;
  /**
   * Notes who changes something, which may be what begins turns: see trigger-authors.ts.
   * @param whole the trigger that is written as a whole
   * @returns to be called when it is done, or has failed
   */
  begin?(whole: string | null): Promise<() => void>;
}

const ERRORS = '/.errors';
/** A command for each tool: what the shell's PATH finds there hands on to `tool`. */
const COMMANDS = '/.bin';

/** The harness as files. */
export class HarnessMount implements Mount {
  readonly kind = 'harness';
  readonly local = true;
  readonly searchable = false;
  readonly authored = true;
  readonly #own: DiskMount | null;
  readonly #defaults: DiskMount;
  readonly #errors: () => Promise<string>;
  readonly #begin: HarnessMountOptions['begin'];

  /** @throws ConfigError when a directory is missing */
  constructor({ own, defaults, errors, begin }: HarnessMountOptions) {
    this.#begin = begin;
    this.#own = own === null ? null : new DiskMount({ root: own });
    this.#defaults = new DiskMount({ root: defaults });
    this.#errors = errors;
  }

  /** What is written goes there; what is not written is the package's, which is no agent's. */
  get directory(): string | undefined {
    return this.#own?.directory;
  }

  hasLinks(path: string): boolean {
    if (isMade(path)) return false;
    return (this.#own?.hasLinks(path) ?? false) || this.#defaults.hasLinks(path);
  }

  lacks(path: string): boolean {
    if (path === ERRORS || path === COMMANDS) return false;
    if (isMade(path)) return false;
    return (this.#own?.lacks(path) ?? true) && this.#defaults.lacks(path);
  }

  async lstat(path: string): Promise<MountStat> {
    if (path === ERRORS) {
      const size = Buffer.byteLength(await this.#errors());
      return { type: 'file', mode: 0o444, size, mtime: new Date(), ino: ERRORS };
    }
    if (path === COMMANDS) return { ...(await this.lstat('/')), mode: 0o555, ino: COMMANDS };
    const command = await this.#command(path);
    if (command === null) return (await this.#layer(path)).lstat(path);
    return { type: 'file', mode: 0o555, size: command.length, mtime: new Date(0), ino: path };
  }

  async readdir(path: string): Promise<Dirent[]> {
    if (path === COMMANDS) {
      const tools = await this.readdir('/tools').catch(noneIfMissing);
      const names = tools.flatMap(({ name }) => /^([^._].*)\.sh$/.exec(name)?.[1] ?? []);
      return names.map((name) => ({ name, type: 'file' }));
    }
    const layer = await this.#layer(path);
    const rows = new Map<string, Dirent>();
    if (layer !== this.#defaults && (await isDirectory(this.#defaults, path)))
      for (const row of await this.#defaults.readdir(path)) rows.set(row.name, row);
    for (const row of await layer.readdir(path)) rows.set(row.name, row);
    return [...rows.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async read(path: string): Promise<Uint8Array> {
    if (path === ERRORS) return Buffer.from(await this.#errors());
    const command = await this.#command(path);
    if (command !== null) return Buffer.from(command);
    return (await this.#layer(path)).read(path);
  }

  async readlink(path: string): Promise<string> {
    return (await this.#layer(path)).readlink(path);
  }

  walk(...args: Parameters<NonNullable<Mount['walk']>>): ReturnType<NonNullable<Mount['walk']>> {
    return this.#own === null ? this.#defaults.walk(...args) : null;
  }

  async write(path: string, data: Uint8Array): Promise<void> {
    await this.#changing(async () => {
      await (await this.#writable(path, 'open')).write(path, data);
    }, path);
  }

  async append(path: string, data: Uint8Array): Promise<void> {
    await this.#changing(async () => {
      await (await this.#copied(path, 'open')).append(path, data);
    });
  }

  async mkdir(path: string): Promise<void> {
    await (await this.#writable(path, 'mkdir')).mkdir(path);
  }

  async unlink(path: string): Promise<void> {
    await this.#changing(async () => {
      await (await this.#removable(path, 'unlink')).unlink(path);
    });
  }

  async rmdir(path: string): Promise<void> {
    await (await this.#removable(path, 'rmdir')).rmdir(path);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#changing(async () => {
      await this.#removable(from, 'rename');
      await (await this.#writable(to, 'rename')).rename(from, to);
    });
  }

  async symlink(target: string, path: string): Promise<void> {
    await this.#changing(async () => {
      await (await this.#writable(path, 'symlink')).symlink(target, path);
    });
  }

  async link(existing: string, path: string): Promise<void> {
    await this.#changing(async () => {
      await this.#copied(existing, 'link');
      await (await this.#writable(path, 'link')).link(existing, path);
    });
  }

  async chmod(path: string, mode: number): Promise<void> {
    await this.#changing(async () => {
      await (await this.#copied(path, 'chmod')).chmod(path, mode);
    });
  }

  async utimes(path: string, mtime: Date): Promise<void> {
    await this.#changing(async () => {
      await (await this.#copied(path, 'utimes')).utimes(path, mtime);
    });
  }

  async close(): Promise<void> {
    await this.#own?.close();
    await this.#defaults.close();
  }

  /** Whatever changes here may be what a trigger says, be it through a link. */
  async #changing(work: () => Promise<void>, path = ''): Promise<void> {
    const [, whole = null] = /^\/triggers\/([^/]+)\.md$/.exec(path) ?? [];
    const end = await this.#begin?.(whole);
    try {
      await work();
    } finally {
      end?.();
    }
  }

  /** The command that stands for a tool; null for any other path. */
  async #command(path: string): Promise<string | null> {
    const name = path.startsWith(`${COMMANDS}/`) ? path.slice(COMMANDS.length + 1) : '';
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name)) return null;
    const script = `/tools/${name}.sh`;
    const there = (await has(this.#own, script)) || (await has(this.#defaults, script));
    return there ? `#!/bin/bash\ntool ${name} "$@"\n` : null;
  }

  /** Where a path is: the deployment's wins. */
  async #layer(path: string): Promise<DiskMount> {
    const own = this.#own;
    return own !== null && (await has(own, path)) ? own : this.#defaults;
  }

  /** The deployment's directory, with the directories above a path made that only the package has. */
  async #writable(path: string, op: string): Promise<DiskMount> {
    if (isMade(path)) throw madeByTheRuntime(path, op);
    const own = this.#own;
    if (own === null) throw noPlace(path, op);
    const names = path.split('/').slice(1, -1);
    for (let depth = 1; depth <= names.length; depth++) {
      const directory = `/${names.slice(0, depth).join('/')}`;
      if (!(await has(own, directory)) && (await isDirectory(this.#defaults, directory)))
        await own.mkdir(directory);
    }
    return own;
  }

  /** The same, with a file of the package copied, so that it can be changed. */
  async #copied(path: string, op: string): Promise<DiskMount> {
    const own = await this.#writable(path, op);
    if ((await has(own, path)) || !(await has(this.#defaults, path))) return own;
    if (await isDirectory(this.#defaults, path)) await own.mkdir(path);
    else await own.write(path, await this.#defaults.read(path));
    return own;
  }

  /** Only what the deployment has can be removed; what the package has would be there again. */
  async #removable(path: string, op: string): Promise<DiskMount> {
    if (isMade(path)) throw madeByTheRuntime(path, op);
    const own = this.#own;
    if (own !== null && (await has(own, path))) return own;
    if (!(await has(this.#defaults, path))) throw new FsError('ENOENT', { path, op });
    throw new FsError('EPERM', {
      path,
      op,
      rule: 'defaults of the package stay',
      reason: 'it is a default of the package: write a file of that name to replace it',
    });
  }
}

function noneIfMissing(error: unknown): Dirent[] {
  if (isFsError(error, 'ENOENT')) return [];
  throw error;
}

/** What is made when it is read. */
const isMade = (path: string): boolean =>
  path === ERRORS || path === COMMANDS || path.startsWith(`${COMMANDS}/`);

/** Is something there? What cannot be told is thrown. */
async function has(mount: DiskMount | null, path: string): Promise<boolean> {
  try {
    await mount?.lstat(path);
    return mount !== null;
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return false;
    throw error;
  }
}

async function isDirectory(mount: DiskMount, path: string): Promise<boolean> {
  if (!(await has(mount, path))) return false;
  return (await mount.lstat(path)).type === 'directory';
}

function madeByTheRuntime(path: string, op: string): FsError {
  const rule = 'the runtime makes this file';
  const reason = 'it is made when it is read; change the files that it is about';
  return new FsError('EPERM', { path, op, rule, reason });
}

function noPlace(path: string, op: string): FsError {
  return new FsError('EPERM', {
    path,
    op,
    rule: 'the package is not written to',
    reason: 'there is no harness of a deployment here; propose a change under /harness/proposals',
  });
}
