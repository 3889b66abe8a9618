/** tar -x: from members to files. A member may not leave the directory that it is unpacked to. */
import { dirOf } from '../basename/index.ts';
import { UsageError } from '../support/getopt.ts';
import type { Tool } from '../support/tool.ts';
import { SafeNames } from './filters.ts';
import type { Header, Member } from './member.ts';
import type { TarCommand } from './options.ts';

const UMASK = 0o022;

/** Unpacks members below one directory. */
export class Extractor {
  readonly #tool: Tool;
  readonly #command: TarCommand;
  readonly #names: SafeNames;
  readonly #strip: number;
  readonly #base: string;
  /** Modes and times of directories are set when nothing more is written into them. */
  readonly #directories: { path: string; header: Header }[] = [];
  /** Links that lead out come last, so that nothing is written through them. */
  readonly #links: { path: string; target: string }[] = [];

  constructor(tool: Tool, command: TarCommand) {
    this.#tool = tool;
    this.#command = command;
    this.#names = new SafeNames(tool, command.options.has('P'));
    const strip = command.options.get('strip') ?? '0';
    if (!/^\d+$/.test(strip)) {
      throw new UsageError(`Invalid number of elements: ${strip}`, { hint: false });
    }
    this.#strip = Number(strip);
    this.#base = tool.path(command.directory);
  }

  /** One member. `name` is what it is called after `--transform`. */
  async take(member: Member, name: string): Promise<boolean> {
    const { header } = member;
    const stripped = this.stripped(name);
    if (stripped === undefined) return false;
    if (this.#command.options.has('O')) {
      if (member.data !== undefined) this.#tool.write(Buffer.from(member.data).toString('latin1'));
      return true;
    }
    const safe = this.#names.of(stripped, 'member names');
    const path = this.#tool.fs.resolvePath(this.#base, safe);
    // What a member was called stands before the reason, as in tar's messages.
    const done = await this.#tool.attempt(
      `${safe}: Cannot open`,
      async () => {
        await this.#tool.fs.mkdir(dirOf(path), { recursive: true });
        if (header.type === 'directory') await this.#directory(path, header);
        else await this.#place(path, safe, member);
        return true;
      },
      2,
    );
    return done === true;
  }

  /** Sets what had to wait. */
  async finish(): Promise<void> {
    const { fs } = this.#tool;
    for (const { path, target } of this.#links) {
      await this.#tool.attempt(
        `${path}: Cannot create symlink`,
        async () => {
          await fs.rm(path, { force: true });
          await fs.symlink(target, path);
        },
        2,
      );
    }
    for (const { path, header } of this.#directories.reverse()) await this.#dress(path, header);
  }

  /** The name without the parts that `--strip-components` takes; undefined where nothing is left. */
  stripped(name: string): string | undefined {
    if (this.#strip === 0) return name;
    const parts = name.split(/\/+/).filter((part) => part !== '' && part !== '.');
    const kept = parts.slice(this.#strip);
    if (kept.length === 0) return undefined;
    return kept.join('/') + (name.endsWith('/') ? '/' : '');
  }

  async #directory(path: string, header: Header): Promise<void> {
    const { fs } = this.#tool;
    const known = await this.#statOf(path);
    if (known !== undefined && !known.isDirectory) await fs.rm(path);
    if (known === undefined || !known.isDirectory) await fs.mkdir(path, { recursive: true });
    this.#directories.push({ path, header });
  }

  async #place(path: string, name: string, member: Member): Promise<void> {
    const { fs } = this.#tool;
    const { options } = this.#command;
    const { header } = member;
    const known = await this.#statOf(path);
    if (known !== undefined) {
      if (options.has('skip')) return;
      if (options.has('k')) {
        this.#tool.fail(`${name}: Cannot open: File exists`, 2);
        return;
      }
      // Removed first, so that a link there is replaced, and not written through.
      if (known.isDirectory) await fs.rm(path, { recursive: false });
      else if (header.type !== 'link' && !options.has('overwrite')) await fs.rm(path);
    }
    if (header.type === 'symlink') await this.#symlink(path, header.linkname ?? '');
    else if (header.type === 'link')
      await this.#link(path, name, header.linkname ?? '', known !== undefined);
    else if (header.type === undefined || header.type === 'file') {
      await fs.writeFile(path, member.data ?? new Uint8Array());
      await this.#dress(path, header);
    } else this.#tool.fail(`${name}: a ${header.type} cannot be made here`, 2);
  }

  async #symlink(path: string, target: string): Promise<void> {
    const { fs } = this.#tool;
    if (!target.startsWith('/') && !target.split('/').includes('..'))
      return fs.symlink(target, path);
    // An empty file keeps the place: what is to be below it is refused.
    await fs.writeFile(path, new Uint8Array());
    this.#links.push({ path, target });
  }

  async #link(path: string, name: string, linkname: string, isKnown: boolean): Promise<void> {
    const { fs } = this.#tool;
    const safe = this.#names.of(this.stripped(linkname) ?? linkname, 'hard link targets');
    const target = fs.resolvePath(this.#base, safe);
    if (target === path) return;
    if (isKnown) await fs.rm(path);
    const link = this.#links.find((each) => each.path === target);
    if (link !== undefined) {
      await this.#symlink(path, link.target);
      return;
    }
    await this.#tool.attempt(
      `${name}: Cannot hard link to '${safe}'`,
      async () => {
        const stat = await fs.lstat(target);
        if (stat.isSymbolicLink) await fs.symlink(await fs.readlink(target), path);
        else await fs.link(target, path);
      },
      2,
    );
  }

  async #statOf(path: string) {
    try {
      return await this.#tool.fs.lstat(path);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('ENOENT')) return undefined;
      throw error;
    }
  }

  async #dress(path: string, header: Header): Promise<void> {
    const { fs } = this.#tool;
    const { options } = this.#command;
    const mode = (header.mode ?? 0o644) & 0o7777;
    await fs.chmod(path, options.has('p') ? mode : mode & ~UMASK & 0o777);
    if (header.mtime !== undefined && !options.has('m'))
      await fs.utimes(path, header.mtime, header.mtime);
  }
}
