/** Copying of trees, as cp does it and mv between file systems. */
import type { FsStat } from 'just-bash';
import { dirOf } from '../basename/index.ts';
import { Asker } from '../support/asker.ts';
import { sameFile } from '../support/files.ts';
import type { Options } from '../support/getopt.ts';
import type { Tool } from '../support/tool.ts';
import { type Backup, backupOf, keep } from './guard.ts';
import { isWithin, type Placement, statIf } from './place.ts';

/** How to copy. */
export interface CopySettings {
  recursive: boolean;
  /** Which links are copied as links: `below` are those that a walk meets, not what was named. */
  keptLinks: 'all' | 'below' | 'none';
  preserve: boolean;
  /** A failure to preserve is reported. */
  strict: boolean;
  verbose: boolean;
  clobber: 'always' | 'never' | 'older';
  /** Each file that is there is asked about. */
  asks: boolean;
  backup: Backup | undefined;
  /** What is there is taken away first. */
  removes: boolean;
  /** The bytes stay where they are. */
  attributesOnly: boolean;
  /** New files get the mode of new files. */
  plainMode: boolean;
  link: 'none' | 'hard' | 'symbolic';
  force: boolean;
  parents: boolean;
}

/** Reads the options of cp. */
export function copySettings(tool: Tool, options: Options): CopySettings {
  const archive = options.has('a');
  const links = options.seen.filter(([key]) => 'LPHda'.includes(key)).at(-1)?.[0];
  const recursive = archive || options.has('r') || options.has('R');
  const clobber = options.seen.findLast(([key]) => key === 'n' || key === 'i')?.[0];
  const update = options.get('update');
  return {
    recursive,
    keptLinks: keptLinks(links, recursive),
    preserve: archive || options.has('p') || options.has('preserve'),
    strict: options.has('p') || options.has('preserve'),
    verbose: options.has('v'),
    clobber:
      clobber === 'n' || update === 'none'
        ? 'never'
        : options.has('u') || update === 'older' || update === ''
          ? 'older'
          : 'always',
    asks: clobber === 'i',
    backup: backupOf(tool, options),
    removes: options.has('remove'),
    attributesOnly: options.has('attributes-only'),
    plainMode: isPlain(options),
    link: options.has('l') ? 'hard' : options.has('s') ? 'symbolic' : 'none',
    force: options.has('f'),
    parents: options.has('parents'),
  };
}

/** Does `--no-preserve` have the last word on modes? */
function isPlain(options: Options): boolean {
  const [key, list = ''] =
    options.seen.findLast(([one]) => ['a', 'p', 'preserve', 'plain'].includes(one)) ?? [];
  return key === 'plain' && /(^|,)(mode|all)(,|$)/.test(list);
}

/** What the last of -L, -P, -H, -d and -a says of links; without one a tree keeps them. */
function keptLinks(last: string | undefined, recursive: boolean): CopySettings['keptLinks'] {
  if (last === 'H') return 'below';
  return last === 'L' || (last === undefined && !recursive) ? 'none' : 'all';
}

/** Copies files and trees; every failure is printed, and the rest goes on. */
export class Copier {
  readonly #tool: Tool;
  readonly #settings: CopySettings;
  readonly #asker: Asker;
  /** What was named, and what was made of it, as paths. */
  readonly #sources = new Set<string>();
  readonly #made = new Set<string>();

  constructor(tool: Tool, settings: CopySettings) {
    this.#tool = tool;
    this.#asker = new Asker(tool);
    this.#settings = settings;
  }

  /** True when all of it was copied. */
  async copy({ from, to }: Placement, top = true): Promise<boolean> {
    const tool = this.#tool;
    const { keptLinks } = this.#settings;
    const keepsLink = keptLinks === 'all' || (keptLinks === 'below' && !top);
    const source = tool.path(from);
    await tool.pulse();
    const stat = await tool.attempt(`cannot stat '${from}'`, () =>
      keepsLink ? tool.fs.lstat(source) : tool.fs.stat(source),
    );
    if (stat === undefined) return false;
    if (top && this.#sources.has(source)) {
      const kind = stat.isDirectory ? 'directory' : 'file';
      tool.warn(`warning: source ${kind} '${from}' specified more than once`);
      return true;
    }
    if (top) this.#sources.add(source);
    if (stat.isDirectory) return this.#directory({ from, to }, source, stat, top);
    const done = await tool.attempt(`cannot create regular file '${to}'`, async () => {
      if (top && this.#settings.parents)
        await tool.fs.mkdir(tool.path(dirOf(to)), { recursive: true });
      return this.#file({ from, to }, source, stat);
    });
    return done === true;
  }

  async #file({ from, to }: Placement, source: string, stat: FsStat): Promise<boolean> {
    const { fs } = this.#tool;
    const { clobber, link, verbose, force, asks, backup, removes } = this.#settings;
    const target = this.#tool.path(to);
    let kept = '';
    let there = await statIf(this.#tool, target, !stat.isSymbolicLink);
    const isLink = (await statIf(this.#tool, target, false))?.isSymbolicLink === true;
    if (removes && isLink) {
      await fs.rm(target);
      there = undefined;
    } else if (there === undefined && isLink && link === 'none') {
      this.#tool.fail(`not writing through dangling symlink '${to}'`);
      return false;
    }
    if (there !== undefined && this.#made.has(target)) {
      this.#tool.fail(`will not overwrite just-created '${to}' with '${from}'`);
      return false;
    }
    this.#made.add(target);
    if (there !== undefined) {
      if (source === target || sameFile(stat, there) === true) {
        this.#tool.fail(`'${from}' and '${to}' are the same file`);
        return false;
      }
      if (there.isDirectory) {
        this.#tool.fail(`cannot overwrite directory '${to}' with non-directory`);
        return false;
      }
      if (clobber === 'never') return true;
      if (clobber === 'older' && there.mtime.getTime() >= stat.mtime.getTime()) return true;
      if (asks && !this.#asker.asks(`overwrite '${to}'`)) return true;
      if (backup !== undefined) {
        kept = await keep(this.#tool, to, backup);
        there = undefined;
      } else if (stat.isSymbolicLink || link !== 'none') {
        if (link !== 'none' && !force) {
          this.#tool.fail(
            `cannot create ${link === 'hard' ? 'hard' : 'symbolic'} link '${to}': File exists`,
          );
          return false;
        }
        await fs.rm(target);
      }
    }
    if (link === 'hard') await fs.link(source, target);
    else if (link === 'symbolic') await fs.symlink(from, target);
    else if (stat.isSymbolicLink) await fs.symlink(await fs.readlink(source), target);
    else {
      if (!this.#settings.attributesOnly) await fs.cp(source, target);
      else if (there === undefined) await fs.writeFile(target, '');
      if (there === undefined || this.#settings.preserve) await this.#attributes(to, target, stat);
    }
    if (verbose) this.#tool.print(`'${from}' -> '${to}'${kept}\n`);
    return true;
  }

  /** Mode always for a new file, times where asked for. */
  async #attributes(to: string, target: string, stat: FsStat): Promise<void> {
    const { fs } = this.#tool;
    const made = await fs.lstat(target);
    const { plainMode } = this.#settings;
    const mode = plainMode ? (stat.isDirectory ? 0o755 : 0o644) : stat.mode & 0o7777;
    try {
      if ((made.mode & 0o7777) !== mode) await fs.chmod(target, mode);
      if (this.#settings.preserve) await fs.utimes(target, stat.mtime, stat.mtime);
    } catch (error) {
      // Not every mount keeps modes and times; cp -p says so, cp and cp -a need not.
      if (this.#settings.strict) this.#tool.complain(`preserving attributes for '${to}'`, error);
      else if (!(error instanceof Error) || !/^(?:EPERM|ENOTSUP|ENOSYS|EROFS)/.test(error.message))
        throw error;
    }
  }

  async #directory(
    { from, to }: Placement,
    source: string,
    stat: FsStat,
    top: boolean,
  ): Promise<boolean> {
    const tool = this.#tool;
    if (!this.#settings.recursive) {
      tool.fail(`-r not specified; omitting directory '${from}'`);
      return false;
    }
    const target = tool.path(to);
    if (top && isWithin(target, source)) {
      tool.fail(`cannot copy a directory, '${from}', into itself, '${to}'`);
      return false;
    }
    const entries = await tool.attempt(`cannot access '${from}'`, async () => {
      const found = await tool.fs.readdirWithFileTypes(source);
      const there = await statIf(tool, target);
      if (there !== undefined && !there.isDirectory) {
        tool.fail(`cannot overwrite non-directory '${to}' with directory '${from}'`);
        return undefined;
      }
      return { found, there };
    });
    if (entries === undefined) return false;
    if (entries.there === undefined) {
      const made = await tool.attempt(`cannot create directory '${to}'`, async () => {
        await tool.fs.mkdir(target, { recursive: this.#settings.parents });
        if (this.#settings.verbose) tool.print(`'${from}' -> '${to}'\n`);
        return true;
      });
      if (made !== true) return false;
    }
    let whole = true;
    const base = from.replace(/\/+$/, '');
    for (const { name } of entries.found) {
      const below = { from: `${base}/${name}`, to: `${to.replace(/\/+$/, '')}/${name}` };
      const done = await this.copy(below, false);
      whole &&= done;
    }
    if (this.#settings.preserve || entries.there === undefined) {
      await tool.attempt(`preserving attributes for '${to}'`, () =>
        this.#attributes(to, target, stat),
      );
    }
    return whole;
  }
}
