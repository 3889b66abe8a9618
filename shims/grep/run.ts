/** GNU grep from its command line to its exit status. */
import { FsError } from '../../src/errors.ts';
import type { NamespaceFs } from '../../src/namespace/types.ts';
import { bytesFromText, textFromBytes } from '../../src/shell/bytes.ts';
import { Passed } from '../support/costly.ts';
import { PatternError } from '../support/literal/ast.ts';
import { Budget } from '../support/literal/budget.ts';
import type { LineMatcher } from '../support/literal/matcher.ts';
import type { TextIndex } from '../support/literal/trigrams/text-index.ts';
import { fileMessage, type NamedRead, UsageError } from './errors.ts';
import { FileGrep, type FileResult, type Means } from './file-grep.ts';
import { HELP, VERSION } from './help.ts';
import { NameFilter } from './names.ts';
import { type GrepOptions, parseGrepOptions } from './options.ts';
import { grepMatcher } from './pattern.ts';
import { Printer } from './printer.ts';
import { filesOfText, type TextTarget, textTarget, textTargets } from './texts.ts';
import {
  noBytes,
  type Target,
  visitAll,
  type WalkFilter,
  walkAtOnce,
  walkByListing,
} from './walk.ts';

/** What surrounds a command. */
export interface Surroundings extends Means {
  cwd: string;
  /** One character a byte. */
  stdin: string;
  /** Is stdin known to be a pipe, even if nothing came through it? */
  piped: boolean;
  /** What is known of the world's texts; without it all are read. */
  index?: TextIndex;
}

/** What a command came to; stdout is one character a byte. */
export interface Outcome {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Steps that one file may take: a few seconds at worst. */
export const BUDGET = 120_000_000;

interface Operand {
  given: string;
  path: string;
  kind: 'file' | 'directory' | 'stdin' | 'failed';
  error?: unknown;
}

class GrepRun {
  private readonly fs: NamespaceFs;
  private readonly options: GrepOptions;
  private readonly io: Surroundings;
  /** What is in the files that -f and --exclude-from name. */
  private readonly named: ReadonlyMap<string, Buffer>;
  private stderr = '';
  private failed = false;
  private found = false;
  private stdinTaken = false;
  /** What recursion passed over because reading it costs requests. */
  private readonly passed = new Passed();

  constructor(
    fs: NamespaceFs,
    options: GrepOptions,
    io: Surroundings,
    named: ReadonlyMap<string, Buffer>,
  ) {
    this.fs = fs;
    this.options = options;
    this.io = io;
    this.named = named;
    this.stdinTaken = named.has('-');
    this.stderr = options.warnings;
  }

  async run(): Promise<Outcome> {
    const { options } = this;
    const names = this.nameFilter();
    const lines = this.patternLines();
    if (options.list !== 'others' && this.selectsNothing(lines)) return this.outcome('');
    const matcher = this.compile(lines);
    if (matcher === null) return this.outcome('', true);
    const printer = new Printer(options, matcher);
    const file = new FileGrep(options, matcher, printer, this.io);
    await this.operands(file, names);
    return this.outcome(printer.out.toString());
  }

  /** GNU looks at no file where no line can be selected. */
  private selectsNothing(lines: string[]): boolean {
    const { maxCount, invert, line, word } = this.options;
    const everything = lines.every((text) => text === '');
    return maxCount === 0 || (everything && invert && !line && !word);
  }

  private outcome(stdout: string, fatal = false): Outcome {
    const { options } = this;
    let { stderr } = this;
    if (this.passed.any) {
      this.failed = true;
      if (!options.noMessages) stderr += this.passed.line('grep', 'name the files to search them');
    }
    if (fatal) return { stdout, stderr, exitCode: 2 };
    const stopsEarly =
      options.quiet || options.list !== 'none' || Number.isFinite(options.maxCount);
    if (this.found && stopsEarly) this.fs.enough();
    const trouble = this.failed && !(options.quiet && this.found);
    return { stdout, stderr, exitCode: trouble ? 2 : this.found ? 0 : 1 };
  }

  /** A file that cannot be searched: said, unless -s, and remembered in the status. */
  private report(name: string, error: unknown): void {
    this.failed = true;
    if (!this.options.noMessages) this.stderr += fileMessage('grep', name, error);
  }

  /** Standard input, which is empty once it has been read. */
  private stdin(): string {
    const text = this.stdinTaken ? '' : this.io.stdin;
    this.stdinTaken = true;
    return text;
  }

  /** All patterns, one a line, at least one. Bytes that are no text stand escaped in them. */
  private patternLines(): string[] {
    const { bytes } = this.io;
    const lines: string[] = [];
    for (const source of this.options.patterns) {
      if ('text' in source) {
        lines.push(...(bytes ? bytesFromText(source.text) : source.text).split('\n'));
        continue;
      }
      const content = this.named.get(source.file) ?? Buffer.alloc(0);
      const latin1 = content.toString('latin1');
      const text = bytes ? latin1 : textFromBytes(latin1);
      if (text !== '') lines.push(...text.replace(/\n$/, '').split('\n'));
    }
    if (lines.length > 0) return lines;
    // Where there is no pattern nothing matches: all lines do not match all lines.
    Object.assign(this.options, { invert: !this.options.invert, word: false, line: false });
    return [''];
  }

  private compile(lines: string[]): LineMatcher | null {
    const { syntax, ignoreCase, word, line, nullData } = this.options;
    const eol = nullData ? 0 : 10;
    try {
      let warnings = '';
      const warn = (message: string): void => {
        warnings += `grep: warning: ${message}\n`;
      };
      const pattern = { syntax, ignoreCase, word, line, eol, unibyte: this.io.bytes };
      const matcher = grepMatcher(lines, pattern, new Budget(BUDGET), warn);
      this.stderr += warnings;
      return matcher;
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      this.stderr += `grep: ${error.message}\n`;
      return null;
    }
  }

  private nameFilter(): NameFilter {
    const rules: { include: boolean; glob: string }[] = [];
    for (const rule of this.options.nameRules) {
      if ('glob' in rule) {
        rules.push(rule);
        continue;
      }
      const text = this.named.get(rule.excludeFrom)?.toString('utf8') ?? '';
      for (const glob of text.split('\n')) if (glob !== '') rules.push({ include: false, glob });
    }
    return new NameFilter(rules);
  }

  private async resolve(given: string): Promise<Operand> {
    if (given === '-') return { given, path: '-', kind: 'stdin' };
    const path = this.fs.resolvePath(this.io.cwd, given);
    try {
      const { isDirectory } = await this.fs.stat(path);
      if (!isDirectory && given.endsWith('/')) throw new FsError('ENOTDIR', { path, op: 'open' });
      return { given, path, kind: isDirectory ? 'directory' : 'file' };
    } catch (error) {
      return { given, path, kind: 'failed', error };
    }
  }

  /** Searches all operands in their order; plain files next to each other are read together. */
  private async operands(file: FileGrep, names: NameFilter): Promise<void> {
    const recurse = this.options.directories === 'recurse';
    const implied = this.options.paths.length === 0;
    const given = implied ? [recurse ? '.' : '-'] : this.options.paths;
    const prefixed = this.options.fileName ?? given.length > 1;
    const batch: Operand[] = [];
    for (let i = 0; i < given.length; i += 32) {
      for (const operand of await Promise.all(
        given.slice(i, i + 32).map((word) => this.resolve(word)),
      )) {
        if (operand.kind !== 'directory') {
          batch.push(operand);
          continue;
        }
        if (!(await this.files(batch.splice(0), file, names, prefixed))) return;
        if (!(await this.directory(operand, file, names, implied, prefixed))) return;
      }
    }
    await this.files(batch, file, names, prefixed);
  }

  private async files(
    operands: Operand[],
    file: FileGrep,
    names: NameFilter,
    prefixed: boolean,
  ): Promise<boolean> {
    const byTarget = new Map<Target, Operand>();
    for (const operand of operands) {
      const { given, path, kind, error } = operand;
      if (kind === 'failed') {
        byTarget.set({ path, bytes: noBytes, error }, operand);
      } else if (kind === 'stdin') {
        const content = Buffer.from(this.stdin(), 'latin1');
        byTarget.set({ path, bytes: () => content }, operand);
      } else if (names.empty || !names.skipsOperand(given)) {
        const target: Target = { path, bytes: noBytes };
        byTarget.set(this.options.textOf ? textTarget(target) : target, operand);
      }
    }
    return visitAll(this.fs, byTarget.keys(), (target, bytes, error) => {
      const operand = byTarget.get(target);
      const given = operand?.given ?? target.path;
      const name = (): string => (operand?.kind === 'stdin' ? this.options.label : given);
      if (this.isText(target)) return this.visitText(file, bytes, error, name());
      return this.visit(file, bytes, error, name, prefixed, operand?.kind === 'stdin');
    });
  }

  private visit(
    file: FileGrep,
    bytes: Uint8Array | null,
    error: unknown,
    name: () => string,
    prefixed: boolean,
    piped: boolean,
  ): boolean {
    if (bytes === null) this.report(name(), error);
    else this.account(file.search(bytes, name, prefixed, piped));
    return !(this.found && this.options.quiet);
  }

  private isText(target: Target): target is TextTarget {
    return 'document' in target;
  }

  /** The text of a document, each page as the file that it is. */
  private visitText(
    file: FileGrep,
    bytes: Uint8Array | null,
    error: unknown,
    document: string,
  ): boolean {
    if (bytes === null) return this.visit(file, null, error, () => document, true, false);
    const shown = this.options.fileName ?? true;
    for (const { name, content } of filesOfText(document, bytes))
      if (!this.visit(file, content, undefined, () => name, shown, false)) return false;
    return true;
  }

  private account(result: FileResult): void {
    if (result.selected) this.found = true;
    if (result.failed) this.failed = true;
    if (result.complaint !== undefined) this.stderr += `grep: ${result.complaint}\n`;
  }

  private async directory(
    operand: Operand,
    file: FileGrep,
    names: NameFilter,
    implied: boolean,
    prefixed: boolean,
  ): Promise<boolean> {
    const { directories, fileName, excludeDirs } = this.options;
    const { given, path } = operand;
    if (directories === 'skip') return true;
    const closed = new NameFilter(excludeDirs.map((glob) => ({ include: false, glob })));
    if (!implied && !closed.empty && closed.skipsOperand(given)) return true;
    if (directories === 'read') {
      this.failed = true;
      if (!this.options.noMessages) this.stderr += `grep: ${given}: Is a directory\n`;
      file.unselected(() => given, prefixed);
      return true;
    }
    const root = await this.fs.realpath(path);
    const head = implied ? '' : `${given.replace(/\/+$/, '')}/`;
    const from = root === '/' ? 1 : root.length + 1;
    const nameOf = (target: string): string =>
      target.length < from ? given : head + target.slice(from);
    const filter: WalkFilter = {
      file: names.empty ? () => true : (name) => !names.skips(name),
      directory: closed.empty ? () => true : (name) => !closed.skips(name),
      followLinks: this.options.followLinks,
      costly: (path) => this.passed.add(nameOf(path)),
      costlyDirectory: (path) => this.passed.add(nameOf(path)),
      maxDepth: Number.POSITIVE_INFINITY,
    };
    // What is known is of the bytes of files, not of texts.
    const known = this.options.textOf ? null : file.foreknowledge(this.io.index);
    let targets: Iterable<Target> | AsyncIterable<Target> | null = walkAtOnce(
      this.fs,
      root,
      filter,
      known,
    );
    if (targets === null) {
      // Once what lies there was fetched, most of it can be walked at once.
      await this.fs.prefetch(root);
      targets =
        walkAtOnce(this.fs, root, filter, known) ??
        walkByListing(this.fs, root, filter, (loop) => {
          this.stderr += `grep: ${nameOf(loop)}: warning: recursive directory loop\n`;
        });
    }
    const searched = this.options.textOf ? textTargets(targets) : targets;
    return visitAll(this.fs, searched, (target, bytes, error) =>
      this.isText(target)
        ? this.visitText(file, bytes, error, nameOf(target.document))
        : this.visit(file, bytes, error, () => nameOf(target.path), fileName ?? true, false),
    );
  }
}

/**
 * Reads the files that options name, stdin among them.
 * @throws UsageError for the first that cannot be read
 */
async function readNamed(
  fs: NamespaceFs,
  reads: readonly NamedRead[],
  io: Surroundings,
): Promise<Map<string, Buffer>> {
  const named = new Map<string, Buffer>();
  for (const { file, warnings } of reads) {
    if (named.has(file)) continue;
    if (file === '-') {
      named.set(file, Buffer.from(io.stdin, 'latin1'));
      continue;
    }
    try {
      named.set(file, Buffer.from(await fs.readFileBuffer(fs.resolvePath(io.cwd, file))));
    } catch (error) {
      throw new UsageError(warnings + fileMessage('grep', file, error));
    }
  }
  return named;
}

async function run(fs: NamespaceFs, args: readonly string[], io: Surroundings): Promise<Outcome> {
  let options: GrepOptions;
  try {
    options = parseGrepOptions(args);
  } catch (error) {
    if (error instanceof UsageError) await readNamed(fs, error.reads, io);
    throw error;
  }
  const named = await readNamed(fs, options.reads, io);
  if (options.info === 'help') return { stdout: HELP, stderr: options.warnings, exitCode: 0 };
  if (options.info === 'version') return { stdout: VERSION, stderr: '', exitCode: 0 };
  return new GrepRun(fs, options, io, named).run();
}

/** Runs GNU grep. Every failure is in the outcome; nothing is thrown but bugs. */
export async function runGrep(
  fs: NamespaceFs,
  args: readonly string[],
  io: Surroundings,
): Promise<Outcome> {
  try {
    return await run(fs, args, io);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // The C locale has none but straight quotes.
    const stderr = io.bytes ? error.message.replaceAll(/[‘’]/g, "'") : error.message;
    return { stdout: '', stderr, exitCode: error.status };
  }
}
