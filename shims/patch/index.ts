/** patch for unified diffs. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { dirOf } from '../basename/index.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, errnoOf, type Tool, toText } from '../support/tool.ts';
import { applyHunk, type FilePatch, type Hunk, parsePatch, reversed } from './parse.ts';

const LONG = {
  backup: 'b',
  directory: 'd:',
  'dry-run': 'dry',
  'remove-empty-files': 'E',
  force: 'f',
  fuzz: 'F:',
  forward: 'N',
  input: 'i:',
  'ignore-whitespace': 'l',
  output: 'o:',
  strip: 'p:',
  quiet: 's',
  silent: 's',
  'reject-file': 'r:',
  reverse: 'R',
  batch: 't',
  unified: 'u',
  verbose: 'verbose',
  binary: 'binary',
  normal: 'n',
  context: 'c',
  posix: 'ignored',
  'backup-if-mismatch': 'ignored',
  'no-backup-if-mismatch': 'ignored',
  suffix: 'z:',
  prefix: 'B:',
  'set-time': 'ignored',
  'set-utc': 'ignored',
  'reject-format': 'ignored:',
};

function stripped(name: string, count: number | undefined): string {
  if (count === undefined) return name.slice(name.lastIndexOf('/') + 1);
  const parts = name.split(/\/+/);
  // A name with too few directories is none.
  return parts.slice(count).join('/');
}

/** A name that leaves the directory in which the patch is applied. */
const isDangerous = (name: string): boolean =>
  name.startsWith('/') || name.split('/').includes('..');

class Patcher {
  readonly #tool: Tool;
  readonly #options: Options;
  readonly #strip: number | undefined;
  readonly #fuzz: number;

  constructor(tool: Tool, options: Options) {
    this.#tool = tool;
    this.#options = options;
    const strip = options.get('p');
    if (strip !== undefined && !/^\d+$/.test(strip)) {
      throw new UsageError(`**** strip count ${strip} is not a number`, { status: 2, hint: false });
    }
    this.#strip = strip === undefined ? undefined : Number(strip);
    const fuzz = options.get('F') ?? '2';
    if (!/^\d+$/.test(fuzz))
      throw new UsageError(`**** fuzz factor ${fuzz} is not a number`, { status: 2, hint: false });
    this.#fuzz = Number(fuzz);
  }

  /** As messages name a file: from the directory that `-d` gives. */
  #shown(name: string): string {
    const dir = this.#options.get('d');
    return dir !== undefined && name.startsWith(`${dir}/`) ? name.slice(dir.length + 1) : name;
  }

  #place(name: string): string {
    const dir = this.#options.get('d');
    return dir === undefined || name.startsWith('/') ? name : `${dir}/${name}`;
  }

  /** The file that a patch is for: the first of its names that exists, else the new one. */
  async #target(patch: FilePatch): Promise<string | undefined> {
    const wanted = [patch.oldName, patch.newName]
      .filter((name) => name !== '' && name !== '/dev/null')
      .map((name) => stripped(name, this.#strip))
      .filter((name) => name !== '');
    const names = wanted.filter((name) => !isDangerous(name));
    // A patch is somebody's text: it changes nothing outside of where it is applied.
    for (const name of new Set(wanted.filter(isDangerous)))
      this.#tool.print(`Ignoring potentially dangerous file name ${name}\n`);
    for (const name of names) {
      const path = this.#place(name);
      if (await this.#tool.fs.exists(this.#tool.path(path))) return path;
    }
    const last = patch.newName === '/dev/null' ? undefined : names.at(-1);
    return last === undefined ? undefined : this.#place(last);
  }

  /** Do links lead a name out of the directory in which the patch is applied? */
  async #leadsOut(name: string): Promise<boolean> {
    const { fs } = this.#tool;
    const root = await fs.realpath(this.#tool.path(this.#options.get('d') ?? '.'));
    const parts = this.#shown(name).split('/').slice(0, -1);
    for (let n = parts.length; n > 0; n--) {
      const directory = this.#tool.path(this.#place(parts.slice(0, n).join('/')));
      if (!(await fs.exists(directory))) continue;
      const real = await fs.realpath(directory);
      return real !== root && !real.startsWith(root === '/' ? '/' : `${root}/`);
    }
    return false;
  }

  /** Applies one file's patch. */
  async apply(patch: FilePatch, given: string | undefined): Promise<void> {
    const tool = this.#tool;
    const deletes = patch.newName === '/dev/null';
    const name = given === undefined ? await this.#target(patch) : this.#place(given);
    if (name === undefined && deletes && patch.oldName !== '') {
      const shown = stripped(patch.oldName, this.#strip);
      return this.#pointless(patch, `delete the file ${shown},\nwhich does not exist!`);
    }
    if (name === undefined) return this.#missing(patch);
    if (given === undefined && (await this.#leadsOut(name))) {
      tool.print(`Invalid file name ${this.#shown(name)} -- skipping patch\n`);
      tool.status = Math.max(tool.status, 1);
      return;
    }
    const creates =
      patch.oldName === '/dev/null' || patch.hunks.every((hunk) => hunk.oldStart === 0);
    const old = await this.#old(name, creates);
    if (old === null) return this.#missing(patch);
    if (old === undefined) return;
    if (creates && old !== '' && !this.#options.has('f')) {
      return this.#pointless(patch, `create the file ${this.#shown(name)},\nwhich already exists!`);
    }
    if (!this.#options.has('s')) {
      const output = this.#options.get('o');
      const shown =
        output === undefined || output === '-'
          ? this.#shown(name)
          : `${output} (read from ${this.#shown(name)})`;
      tool.print(`${this.#options.has('dry') ? 'checking' : 'patching'} file ${shown}\n`);
    }
    const lines = old === '' ? [] : old.replace(/\n$/, '').split('\n');
    const turned = this.#previous(lines, patch);
    if (turned === 'skip') return this.#ignore(name, patch);
    const { failed, open } = this.#hunks(
      lines,
      turned === 'reverse' ? reversed(patch) : patch,
      old !== '' && !old.endsWith('\n'),
    );
    if (failed.length > 0) await this.#reject(name, patch, failed);
    if (this.#options.has('dry') || failed.length === patch.hunks.length) return;
    const text = lines.length === 0 ? '' : lines.join('\n') + (open ? '' : '\n');
    await tool.attempt(name, () => this.#write(name, old, text, patch));
  }

  async #old(name: string, creates: boolean): Promise<string | null | undefined> {
    try {
      return await this.#tool.read(name);
    } catch (error) {
      if (creates && errnoOf(error) === 'ENOENT') return '';
      if (errnoOf(error) === 'ENOENT') return null;
      else this.#tool.complain(`**** Can't open file ${name}`, error, 2);
      return undefined;
    }
  }

  /**
   * Does the patch fit the other way round only? Then it was applied before: without
   * anybody to ask, -f applies it all the same, -t takes it back, and else it is left alone.
   */
  #previous(lines: readonly string[], patch: FilePatch): 'apply' | 'reverse' | 'skip' {
    const [first] = patch.hunks;
    const [back] = reversed(patch).hunks;
    if (first === undefined || back === undefined || this.#options.has('f')) return 'apply';
    if (!first.lines.some(({ sign }) => sign !== ' ')) return 'apply';
    const fuzzes = Array.from({ length: this.#fuzz + 1 }, (_, fuzz) => fuzz);
    const fits = (hunk: Hunk, fuzz: number) => applyHunk([...lines], hunk, 0, fuzz) !== undefined;
    // Each way with as little fuzz as it takes: the patch itself counts first.
    for (const fuzz of fuzzes) {
      if (fits(first, fuzz)) return 'apply';
      if (!fits(back, fuzz)) continue;
      const { quiet, text, result } = this.#answer();
      if (!quiet) this.#tool.print(text);
      return result;
    }
    return 'apply';
  }

  #answer(): { quiet: boolean; text: string; result: 'reverse' | 'skip' } {
    const isBack = this.#options.has('R');
    const what = isBack
      ? 'Unreversed patch detected!'
      : 'Reversed (or previously applied) patch detected!';
    const quiet = this.#options.has('s') && this.#options.has('N');
    if (this.#options.has('N'))
      return { quiet, text: `${what}  Skipping patch.\n`, result: 'skip' };
    const turn = isBack ? 'Ignoring -R.' : 'Assuming -R.';
    if (this.#options.has('t')) return { quiet, text: `${what}  ${turn}\n`, result: 'reverse' };
    const question = isBack ? 'Ignore -R?' : 'Assume -R?';
    return {
      quiet,
      text: `${what}  ${question} [n] \nApply anyway? [n] \nSkipping patch.\n`,
      result: 'skip',
    };
  }

  /** A patch that is left alone is saved whole among the rejects. */
  async #ignore(name: string, patch: FilePatch): Promise<void> {
    await this.#reject(name, patch, patch.hunks, 'ignored');
  }

  /** What is to be made is there, or what is to be removed is not. */
  #pointless(patch: FilePatch, what: string): void {
    const tool = this.#tool;
    const many = patch.hunks.length === 1 ? 'hunk' : 'hunks';
    const isQuiet = this.#options.has('N') || this.#options.has('t');
    const end = isQuiet
      ? 'Skipping patch.'
      : 'Assume -R? [n] \nApply anyway? [n] \nSkipping patch.';
    tool.print(`The next patch would ${what}  ${end}\n`);
    tool.print(`${patch.hunks.length} out of ${patch.hunks.length} ${many} ignored\n`);
    tool.status = 1;
  }

  #missing(patch: FilePatch): void {
    const tool = this.#tool;
    const line = '--------------------------';
    const lead = patch.lead.map((text) => `|${text}\n`).join('');
    const tip =
      this.#strip === undefined
        ? 'Perhaps you should have used the -p or --strip option?'
        : 'Perhaps you used the wrong -p or --strip option?';
    const many = patch.hunks.length === 1 ? 'hunk' : 'hunks';
    const about =
      lead === '' ? '' : `${tip}\nThe text leading up to this was:\n${line}\n${lead}${line}\n`;
    const asked =
      this.#options.has('f') || this.#options.has('t')
        ? 'No file to patch.  Skipping patch.\n'
        : 'File to patch: \nSkip this patch? [y] \nSkipping patch.\n';
    tool.print(`can't find file to patch at input line ${patch.line}\n${about}${asked}`);
    tool.print(`${patch.hunks.length} out of ${patch.hunks.length} ${many} ignored\n`);
    tool.status = 1;
  }

  #hunks(lines: string[], patch: FilePatch, wasOpen: boolean): { failed: Hunk[]; open: boolean } {
    const failed: Hunk[] = [];
    let shift = 0;
    let open = wasOpen;
    for (const [i, hunk] of patch.hunks.entries()) {
      const applied = applyHunk(lines, hunk, shift, this.#fuzz);
      if (applied === undefined) {
        failed.push(hunk);
        this.#tool.print(`Hunk #${i + 1} FAILED at ${hunk.oldStart + shift}.\n`);
        continue;
      }
      const added = hunk.lines.filter(({ sign }) => sign === '+').length;
      const removed = hunk.lines.filter(({ sign }) => sign === '-').length;
      if ((applied.offset !== 0 || applied.fuzz > 0) && !this.#options.has('s')) {
        const fuzz = applied.fuzz > 0 ? ` with fuzz ${applied.fuzz}` : '';
        const many = Math.abs(applied.offset) === 1 ? 'line' : 'lines';
        const offset = applied.offset === 0 ? '' : ` (offset ${applied.offset} ${many})`;
        this.#tool.print(
          `Hunk #${i + 1} succeeded at ${hunk.newStart + shift + applied.offset}${fuzz}${offset}.\n`,
        );
      }
      shift += applied.offset + added - removed;
      if (hunk.oldOpen && !hunk.newOpen) open = false;
      if (hunk.newOpen) open = true;
    }
    return { failed, open };
  }

  #backupName(name: string): string {
    const [prefix, suffix] = [this.#options.get('B'), this.#options.get('z')];
    if (prefix === undefined) return name + (suffix ?? '.orig');
    return prefix + name + (suffix ?? '');
  }

  async #write(name: string, old: string, text: string, patch: FilePatch): Promise<void> {
    const tool = this.#tool;
    const output = this.#options.get('o');
    if (this.#options.has('b')) await tool.save(this.#backupName(name), old);
    if (output === '-') tool.write(text);
    else if (output !== undefined) await tool.save(output, text);
    else if (text === '' && (patch.newName === '/dev/null' || this.#options.has('E'))) {
      await tool.fs.rm(tool.path(name));
    } else {
      await tool.fs.mkdir(tool.path(dirOf(name)), { recursive: true });
      await tool.save(name, text);
    }
  }

  async #reject(
    name: string,
    patch: FilePatch,
    failed: readonly Hunk[],
    what: 'FAILED' | 'ignored' = 'FAILED',
  ): Promise<void> {
    const tool = this.#tool;
    tool.status = 1;
    const file = this.#options.get('r') ?? `${name}.rej`;
    const dry = this.#options.has('dry');
    const many = patch.hunks.length === 1 ? 'hunk' : 'hunks';
    const isKept = !dry && file !== '-';
    const saved = isKept ? ` -- saving rejects to file ${this.#shown(file)}` : '';
    tool.print(`${failed.length} out of ${patch.hunks.length} ${many} ${what}${saved}\n`);
    if (!isKept) return;
    const count = (hunk: Hunk, skip: string) =>
      hunk.lines.filter(({ sign }) => sign !== skip).length;
    const text = failed.map((hunk) => {
      const body = hunk.lines.map(({ sign, text: line }) => `${sign}${line}\n`).join('');
      return `@@ -${hunk.oldStart},${count(hunk, '+')} +${hunk.newStart},${count(hunk, '-')} @@\n${body}`;
    });
    await tool.attempt(file, () =>
      tool.save(file, `--- ${patch.oldName}\n+++ ${patch.newName}\n${text.join('')}`),
    );
  }
}

async function patch(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'bB:cd:EfF:Ni:lno:p:r:RstTuvz:Z', long: LONG });
  const [file, second, extra] = options.operands;
  if (extra !== undefined) throw new UsageError(`${extra}: extra operand`);
  const directory = options.get('d');
  if (directory !== undefined && !(await tool.fs.exists(tool.path(directory))))
    throw new UsageError(
      `**** Can't change to directory ${directory} : No such file or directory`,
      { hint: false },
    );
  const input = options.get('i') ?? second ?? '-';
  const content = await tool.tryRead(input, 2, `**** Can't open patch file ${input} `);
  if (content === undefined || content === '') return;
  // Where every line of it ends as on Windows, those ends are no part of the lines.
  const isStripped = !options.has('binary') && /^--- [^\n]*\r\n\+\+\+ [^\n]*\r\n/m.test(content);
  if (isStripped) tool.print('(Stripping trailing CRs from patch; use --binary to disable.)\n');
  const patches = parsePatch(isStripped ? content.replaceAll('\r\n', '\n') : content);
  if (patches.length === 0) {
    const seen = /\S/.test(toText(content));
    if (seen && !content.endsWith('\n')) {
      tool.print('patch unexpectedly ends in middle of line\n');
    }
    if (seen) tool.fail('**** Only garbage was found in the patch input.', 2);
    return;
  }
  const patcher = new Patcher(tool, options);
  for (const one of patches) await patcher.apply(options.has('R') ? reversed(one) : one, file);
}

/** patch. */
export const patchShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'patch',
      usage: 'Usage: patch [OPTION]... [ORIGFILE [PATCHFILE]]',
      usageStatus: 2,
      prefixHint: true,
    },
    patch,
  ),
];
