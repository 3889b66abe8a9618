/** cp, mv and install. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { dirOf } from '../basename/index.ts';
import { Asker } from '../support/asker.ts';
import { sameFile } from '../support/files.ts';
import { type Options, UsageError, wordOf } from '../support/getopt.ts';
import { parseMode } from '../support/mode.ts';
import { defineTool, errnoOf, type Tool } from '../support/tool.ts';
import { Copier, copySettings } from './copy.ts';
import { type Backup, backupOf, keep } from './guard.ts';
import { isWithin, type Placement, placements, statIf } from './place.ts';

const SHARED = {
  backup: 'backup::',
  suffix: 'S:',
  force: 'f',
  interactive: 'i',
  'no-clobber': 'n',
  'target-directory': 't:',
  'no-target-directory': 'T',
  'strip-trailing-slashes': 'ignored',
  update: 'update::',
  verbose: 'v',
};

/** What may be said of how the bytes get there, and changes nothing here. */
const HOWS = [
  ['sparse', ['never', 'auto', 'always']],
  ['reflink', ['auto', 'always', 'never']],
] as const;

async function cp(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'abdfHilLnPprRsS:t:TuvxZ',
    long: {
      ...SHARED,
      archive: 'a',
      'attributes-only': 'attributes-only',
      'copy-contents': 'ignored',
      dereference: 'L',
      link: 'l',
      'no-dereference': 'P',
      preserve: 'preserve::',
      'no-preserve': 'plain:',
      parents: 'parents',
      recursive: 'r',
      reflink: 'reflink::',
      'remove-destination': 'remove',
      sparse: 'sparse:',
      'symbolic-link': 's',
      'one-file-system': 'x',
    },
  });
  for (const [option, known] of HOWS) {
    wordOf(`--${option}`, options.get(option) || 'auto', known);
  }
  const copier = new Copier(tool, copySettings(tool, options));
  for (const one of await placements(tool, options)) await copier.copy(one);
}

class Mover {
  readonly #tool: Tool;
  readonly #options: Options;
  readonly #asker: Asker;
  readonly #backup: Backup | undefined;
  /** What was moved by this one, as paths. */
  readonly #made = new Set<string>();

  constructor(tool: Tool, options: Options) {
    this.#tool = tool;
    this.#options = options;
    this.#asker = new Asker(tool);
    this.#backup = backupOf(tool, options);
  }

  async move({ from, to }: Placement): Promise<void> {
    const tool = this.#tool;
    const [source, target] = [tool.path(from), tool.path(to)];
    const stat = await tool.attempt(`cannot stat '${from}'`, () => tool.fs.lstat(source));
    if (stat === undefined) return;
    await tool.attempt(`cannot move '${from}' to '${to}'`, async () => {
      const there = await statIf(tool, target, false);
      const same = there !== undefined && sameFile(stat, there) === true && !stat.isDirectory;
      if (source === target || same) {
        tool.fail(`'${from}' and '${to}' are the same file`);
        return;
      }
      if (stat.isDirectory && isWithin(target, source)) {
        tool.fail(`cannot move '${from}' to a subdirectory of itself, '${to}'`);
        return;
      }
      if (there !== undefined && this.#made.has(target)) {
        tool.fail(`will not overwrite just-created '${to}' with '${from}'`);
        return;
      }
      this.#made.add(target);
      let kept = '';
      if (there !== undefined) {
        if (this.#keeps(stat.mtime, there.mtime)) return;
        if (stat.isDirectory !== there.isDirectory) {
          tool.fail(
            stat.isDirectory
              ? `cannot overwrite non-directory '${to}' with directory '${from}'`
              : `cannot overwrite directory '${to}' with non-directory`,
          );
          return;
        }
        if (this.#clobber === 'i' && !this.#asker.asks(`overwrite '${to}'`)) return;
        if (this.#backup !== undefined) kept = await keep(tool, to, this.#backup);
        else if (there.isDirectory) {
          if ((await tool.fs.readdirWithFileTypes(target)).length > 0) {
            tool.fail(`cannot move '${from}' to '${to}': Directory not empty`);
            return;
          }
          await tool.fs.rm(target, { recursive: true });
        }
      }
      await this.#rename({ from, to }, source, target);
      if (this.#options.has('v') && tool.status === 0)
        tool.print(`renamed '${from}' -> '${to}'${kept}\n`);
    });
  }

  /** The last of -n, -i and -f. */
  get #clobber(): string | undefined {
    return this.#options.seen.findLast(([key]) => 'nif'.includes(key))?.[0];
  }

  #keeps(mine: Date, there: Date): boolean {
    const update = this.#options.has('u') || this.#options.has('update');
    return this.#clobber === 'n' || (update && there.getTime() >= mine.getTime());
  }

  async #rename(place: Placement, source: string, target: string): Promise<void> {
    const { fs } = this.#tool;
    try {
      await fs.mv(source, target);
    } catch (error) {
      if (errnoOf(error) !== 'EXDEV') throw error;
      const copier = new Copier(this.#tool, {
        recursive: true,
        keptLinks: 'all',
        preserve: true,
        strict: false,
        verbose: false,
        clobber: 'always',
        asks: false,
        backup: undefined,
        removes: false,
        attributesOnly: false,
        plainMode: false,
        link: 'none',
        force: true,
        parents: false,
      });
      if (await copier.copy(place)) await fs.rm(source, { recursive: true });
    }
  }
}

async function mv(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'bfinS:t:TuvZ', long: SHARED });
  const mover = new Mover(tool, options);
  for (const one of await placements(tool, options)) await mover.move(one);
}

async function install(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'cCdDg:m:o:pst:Tv',
    long: {
      directory: 'd',
      group: 'g:',
      mode: 'm:',
      owner: 'o:',
      'preserve-timestamps': 'p',
      strip: 's',
      'target-directory': 't:',
      'no-target-directory': 'T',
      verbose: 'v',
    },
  });
  const rule = parseMode(options.get('m') ?? '755');
  if (rule === undefined)
    throw new UsageError(`invalid mode '${options.get('m')}'`, { hint: false });
  if (options.has('d')) {
    if (options.operands.length === 0) throw new UsageError('missing file operand');
    for (const name of options.operands) {
      await tool.attempt(`cannot create directory '${name}'`, async () => {
        const parts = name.split('/');
        for (const [i] of parts.entries()) {
          const one = parts.slice(0, i + 1).join('/');
          if (one === '' || (await tool.fs.exists(tool.path(one)))) continue;
          await tool.fs.mkdir(tool.path(one));
          if (options.has('v')) tool.print(`install: creating directory '${one}'\n`);
        }
        await tool.fs.mkdir(tool.path(name), { recursive: true });
        await tool.fs.chmod(tool.path(name), rule(0, true));
      });
    }
    return;
  }
  if (options.has('D')) {
    const parent = options.get('t') ?? dirOf(options.operands.at(-1) ?? '');
    await tool.attempt(`cannot create directory '${parent}'`, () =>
      tool.fs.mkdir(tool.path(parent), { recursive: true }),
    );
  }
  for (const { from, to } of await placements(tool, options)) {
    const there = await tool.attempt(`cannot stat '${from}'`, () => tool.fs.stat(tool.path(from)));
    if (there === undefined) continue;
    if (there.isDirectory) {
      tool.fail(`omitting directory '${from}'`);
      continue;
    }
    await tool.attempt(`cannot install '${from}' to '${to}'`, async () => {
      await tool.fs.cp(tool.path(from), tool.path(to));
      await tool.fs.chmod(tool.path(to), rule(0, false));
      if (options.has('v')) tool.print(`'${from}' -> '${to}'\n`);
    });
  }
}

/** cp, mv and install. */
export const cpShims: ShimFactory = (host) => [
  defineTool(host, { name: 'cp', usage: 'Usage: cp [OPTION]... SOURCE... DEST' }, cp),
  defineTool(host, { name: 'mv', usage: 'Usage: mv [OPTION]... SOURCE... DEST' }, mv),
  defineTool(
    host,
    { name: 'install', usage: 'Usage: install [OPTION]... SOURCE... DEST' },
    install,
  ),
];
