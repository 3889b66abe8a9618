/** du: disk use of trees in blocks of 4 KiB, or the bytes of what they hold. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { Passed } from '../support/costly.ts';
import { diskKiB, humanSize, inodeOf, sizeOf } from '../support/files.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { globMatcher } from '../support/glob.ts';
import { defineTool, parseSize, type Tool } from '../support/tool.ts';

const LONG = {
  null: '0',
  all: 'a',
  'apparent-size': 'apparent',
  'block-size': 'B:',
  bytes: 'b',
  total: 'c',
  'dereference-args': 'D',
  'max-depth': 'd:',
  'human-readable': 'h',
  kilobytes: 'k',
  'count-links': 'l',
  dereference: 'L',
  megabytes: 'm',
  'no-dereference': 'P',
  'separate-dirs': 'S',
  si: 'si',
  summarize: 's',
  threshold: 't:',
  exclude: 'exclude:',
  'one-file-system': 'x',
};

function formatter(options: Options): (bytes: number) => string {
  const found = options.seen
    .filter(([key]) => ['h', 'si', 'k', 'm', 'b', 'B'].includes(key))
    .at(-1);
  const key = found?.[0] ?? 'k';
  if (key === 'h') return (bytes) => humanSize(bytes);
  if (key === 'si') return (bytes) => humanSize(bytes, 1000);
  const named: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2, b: 1 };
  const text = /^\d/.test(found?.[1] ?? '') ? (found?.[1] ?? '') : `1${found?.[1] ?? ''}`;
  const unit = named[key] ?? parseSize(text);
  if (unit === undefined || unit === 0) {
    throw new UsageError(`invalid --block-size argument '${found?.[1]}'`, { hint: false });
  }
  // A unit without a number stands behind each.
  const suffix = key === 'B' && /^[A-Z]/i.test(found?.[1] ?? '') ? found?.[1] : '';
  return (bytes) => `${Math.ceil(bytes / unit)}${suffix}`;
}

class Usage {
  readonly #tool: Tool;
  readonly #apparent: boolean;
  readonly #all: boolean;
  readonly #depth: number;
  readonly #separate: boolean;
  /** Is a file counted once by each of its names? */
  readonly #countsLinks: boolean;
  /** Links that are followed: none, those on the command line, or all. */
  readonly #links: 'P' | 'D' | 'L';
  readonly #format: (bytes: number) => string;
  /** The least that is shown; below 0, the most. */
  readonly #threshold: number;
  readonly #end: string;
  readonly #excluded: Array<(name: string) => boolean>;
  readonly #seen = new Set<string>();
  readonly #passed = new Passed();

  constructor(tool: Tool, options: Options) {
    this.#tool = tool;
    this.#apparent = options.has('apparent') || options.has('b');
    this.#all = options.has('a');
    this.#separate = options.has('S');
    this.#countsLinks = options.has('l');
    const [links = 'P'] = options.seen.findLast(([key]) => /^[PDHL]$/.test(key)) ?? [];
    this.#links = links === 'L' ? 'L' : links === 'P' ? 'P' : 'D';
    this.#end = options.has('0') ? '\0' : '\n';
    this.#format = formatter(options);
    const [, sign, least] = /^(-?)(.*)$/.exec(options.get('t') ?? '0') ?? [];
    const size = parseSize(least ?? '');
    if (size === undefined || (sign === '-' && size === 0))
      throw new UsageError(`invalid --threshold argument '${options.get('t')}'`, { hint: false });
    this.#threshold = sign === '-' ? -size : size;
    this.#excluded = options.all('exclude').map((pattern) => globMatcher(pattern));
    const depth = options.get('d');
    if (depth !== undefined && !/^\d+$/.test(depth)) {
      throw new UsageError(`invalid maximum depth '${depth}'`);
    }
    if (options.has('s') && this.#all) {
      throw new UsageError('cannot both summarize and show all entries');
    }
    if (options.has('s') && Number(depth) > 0)
      throw new UsageError(`warning: summarizing conflicts with --max-depth=${depth}`);
    this.#depth = options.has('s') ? 0 : Number(depth ?? Infinity);
  }

  /** Says what was left out because its size is known only to whoever reads it. */
  finish(): void {
    if (!this.#passed.any) return;
    this.#tool.stderr += this.#passed.line('du', 'name the files to count them');
    this.#tool.status = Math.max(this.#tool.status, 2);
  }

  line(bytes: number, name: string): void {
    const threshold = this.#threshold;
    if (threshold < 0 ? bytes > -threshold : bytes < threshold) return;
    this.#tool.print(`${this.#format(bytes)}\t${name}${this.#end}`);
  }

  /** The use of a tree; prints what is asked for on the way. */
  async measure(name: string, path: string, depth: number): Promise<number> {
    await this.#tool.pulse();
    const bytes = await this.#tool.attempt(`cannot access '${name}'`, async () => {
      const follows =
        this.#links === 'L' || (depth === 0 && (this.#links === 'D' || name.endsWith('/')));
      const stat = follows ? await this.#tool.fs.stat(path) : await this.#tool.fs.lstat(path);
      // By links one comes to the same directory again, and in a circle for ever.
      // So one does by a second operand; what was counted is not counted again.
      if (stat.isDirectory) {
        const real = await this.#tool.fs.realpath(path);
        if (this.#seen.has(real)) return 0;
        this.#seen.add(real);
      }
      const size = sizeOf(stat);
      const own = this.#apparent ? size : diskKiB(stat) * 1024;
      if (!stat.isDirectory) {
        // A file with two names is counted once.
        const id = stat.identity ?? `${stat.dev}:${inodeOf(stat)}`;
        const counted =
          !this.#countsLinks &&
          (stat.identity !== undefined || stat.ino !== undefined) &&
          this.#seen.has(id);
        if (counted) return 0;
        this.#seen.add(id);
        if (depth === 0 || (this.#all && depth <= this.#depth)) this.line(own, name);
        return own;
      }
      return own + (await this.#below(name, path, depth, own));
    });
    return bytes ?? 0;
  }

  async #below(name: string, path: string, depth: number, own: number): Promise<number> {
    const entries = await this.#tool.attempt(`cannot read directory '${name}'`, () =>
      this.#tool.fs.readdirWithFileTypes(path),
    );
    let sum = 0;
    let direct = 0;
    for (const entry of entries ?? []) {
      if (this.#excluded.some((matches) => matches(entry.name))) continue;
      const inside = `${path === '/' ? '' : path}/${entry.name}`;
      const child = `${name.replace(/(.)\/+$/, '$1')}${name === '/' ? '' : '/'}${entry.name}`;
      if (this.#tool.fs.costly(inside)) {
        this.#passed.add(child);
        continue;
      }
      const bytes = await this.measure(child, inside, depth + 1);
      sum += bytes;
      if (!entry.isDirectory) direct += bytes;
    }
    if (depth <= this.#depth) this.line(own + (this.#separate ? direct : sum), name);
    return sum;
  }
}

async function du(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: '0abB:cDd:hHklLmPsSt:x', long: LONG });
  const usage = new Usage(tool, options);
  let total = 0;
  for (const name of options.operands.length === 0 ? ['.'] : options.operands) {
    total += await usage.measure(name, tool.path(name), 0);
  }
  if (options.has('c')) usage.line(total, 'total');
  usage.finish();
}

/** du. */
export const duShims: ShimFactory = (host) => [
  defineTool(host, { name: 'du', usage: 'Usage: du [OPTION]... [FILE]...' }, du),
];
