/** ripgrep from its command line to its exit status. */

import type { NamespaceFs } from '../../src/namespace/types.ts';
import { Passed } from '../support/costly.ts';
import { PatternError, TooExpensiveError } from '../support/literal/ast.ts';
import { Budget } from '../support/literal/budget.ts';
import { Matcher } from '../support/literal/matcher.ts';
import { rgFileMessage, UsageError } from './errors.ts';
import { parseRgOptions, RG_HELP } from './rg-options.ts';
import { rgPattern } from './rg-pattern.ts';
import { RgPrinter } from './rg-printer.ts';
import { type Counts, RgReport } from './rg-report.ts';
import { eachMatch, searchAll, searchText } from './rg-search.ts';
import type { RgOptions } from './rg-settings.ts';
import { typesOf } from './rg-types.ts';
import { RgWalk } from './rg-walk.ts';
import { BUDGET, type Outcome, type Surroundings } from './run.ts';
import { type LineOptions, textEnd } from './search.ts';
import { type Foreknowledge, noBytes, type Target, visitAll } from './walk.ts';

/** Does the output tell of places within a line, or change lines? */
function needsLines({ output, replace, vimgrep, column, color, onlyMatching }: RgOptions): boolean {
  return output === 'json' || replace !== null || vimgrep || column || (color && !onlyMatching);
}

/** @throws UsageError where a match goes over a line's end. */
function refuseSpanning(buf: Uint8Array, start: number, end: number): void {
  const newline = buf.indexOf(10, start);
  if (newline === -1 || newline >= end - 1) return;
  throw new UsageError(
    'rg: a match over several lines is not supported here with --json, -r, --column, --vimgrep or --color; leave that out\n',
  );
}

async function backwards(targets: Iterable<Target> | AsyncIterable<Target>): Promise<Target[]> {
  const all: Target[] = [];
  for await (const target of targets) all.unshift(target);
  return all;
}

/** The same files, of which none is read: their names are all that is wanted. */
async function* unread(targets: Iterable<Target> | AsyncIterable<Target>): AsyncIterable<Target> {
  const nothing = new Uint8Array();
  for await (const target of targets) {
    yield target.error === undefined ? { path: target.path, bytes: () => nothing } : target;
  }
}

class RgRun {
  private readonly fs: NamespaceFs;
  private readonly options: RgOptions;
  private readonly io: Surroundings;
  private readonly matcher: Matcher;
  private readonly printer: RgPrinter;
  private readonly lines: LineOptions;
  private stderr = '';
  private failed = false;
  private found = false;
  /** What recursion passed over because reading it costs requests. */
  private readonly passed = new Passed();
  private readonly report: RgReport;
  private readonly totals: Counts;

  constructor(fs: NamespaceFs, options: RgOptions, io: Surroundings, patterns: string[]) {
    this.fs = fs;
    this.options = options;
    this.io = io;
    const pattern = rgPattern(patterns, options);
    this.matcher = new Matcher(pattern, new Budget(BUDGET));
    this.printer = new RgPrinter(options, this.matcher, pattern);
    this.report = new RgReport(this.printer);
    this.totals = this.report.total;
    const printing = options.output === 'lines' || options.output === 'json';
    const listing = options.output === 'list' || options.output === 'list-others';
    const first = (options.quiet && !options.stats) || listing;
    this.lines = {
      eol: 10,
      invert: options.invert,
      maxCount: first ? Math.min(options.maxCount, 1) : options.maxCount,
      before: printing && !options.passthru ? options.before : 0,
      after: printing && !options.passthru ? options.after : 0,
      ...(needsLines(options) ? { spanning: refuseSpanning } : {}),
    };
  }

  async run(): Promise<Outcome> {
    const { options, io } = this;
    const implied = options.paths.length === 0;
    const useStdin = implied && options.output !== 'files' && (io.stdin !== '' || io.piped);
    const paths = implied ? [useStdin ? '-' : './'] : options.paths;
    const single = paths.length === 1;
    for (const given of paths) {
      if (given === '-') this.stdin(options.fileName ?? !single);
      else if (!(await this.operand(given, implied, single))) break;
    }
    if (
      implied &&
      !useStdin &&
      this.totals.searched === 0 &&
      options.messages &&
      !this.failed &&
      !this.passed.any
    ) {
      this.failed = true;
      this.stderr +=
        'rg: no file was searched: all were left out by ignore rules, hidden names, -g or -t; try --hidden, --no-ignore or -uu\n';
    }
    if (this.passed.any) {
      this.failed = true;
      if (options.messages) this.stderr += this.passed.line('rg', 'name the files to search them');
    }
    if (options.output === 'json' && !options.quiet) this.report.summary();
    else if (options.stats) this.report.statistics();
    const trouble = this.failed && !(options.quiet && this.found);
    return {
      stdout: this.printer.out.toString(),
      stderr: this.stderr,
      exitCode: trouble ? 2 : this.found ? 0 : 1,
    };
  }

  private complain(name: string, error: unknown): void {
    this.failed = true;
    if (this.options.messages) this.stderr += rgFileMessage(name, error);
  }

  private stdin(shown: boolean): void {
    const content = Buffer.from(this.io.stdin, 'latin1');
    this.visit(
      { path: '-', bytes: () => content },
      content,
      undefined,
      () => '<stdin>',
      shown,
      true,
    );
  }

  /** One path of the command line. False where the search is over. */
  private async operand(given: string, implied: boolean, single: boolean): Promise<boolean> {
    const { fs, options } = this;
    const path = fs.resolvePath(this.io.cwd, given);
    let root = path;
    let directory: boolean;
    try {
      directory = (await fs.stat(path)).isDirectory;
      if (directory) root = await fs.realpath(path);
    } catch (error) {
      this.complain(given, error);
      return true;
    }
    if (!directory) {
      const shown = options.fileName ?? !single;
      return visitAll(fs, [{ path, bytes: noBytes }], (target, bytes, error) =>
        this.visit(target, bytes, error, () => given, shown, true),
      );
    }
    const head = implied ? '' : given.endsWith('/') ? given : `${given}/`;
    const from = root === '/' ? 1 : root.length + 1;
    const nameOf = (target: string): string =>
      target.length < from ? given : head + target.slice(from);
    const walk = new RgWalk(
      fs,
      options,
      this.io.cwd,
      (loop) => {
        this.stderr += `rg: File system loop found: ${nameOf(loop)} points to a directory above it\n`;
      },
      (path) => this.passed.add(nameOf(path)),
    );
    const shown = options.fileName ?? true;
    const walked = await walk.targets(root, this.foreknowledge());
    const ordered = options.reversed ? await backwards(walked) : walked;
    const targets = options.output === 'files' ? unread(ordered) : ordered;
    return visitAll(fs, targets, (target, bytes, error) =>
      this.visit(target, bytes, error, () => nameOf(target.path), shown, false),
    );
  }

  /** What is known of texts, where a file without a match is told of in no other way than an empty one. */
  private foreknowledge(): Foreknowledge | null {
    const { invert, multiline, output, stats, maxFileSize, passthru } = this.options;
    const counted = stats || output === 'json' || maxFileSize !== Number.POSITIVE_INFINITY;
    // Of a file without a match it matters here whether it is binary.
    if (invert || multiline || counted || output === 'list-others' || passthru) return null;
    const search = this.io.index?.search(this.matcher.required) ?? null;
    const passedOver = (files: number): void => {
      this.totals.searched += files;
    };
    const untold = output !== 'files' && !this.options.includeZero;
    return search === null ? null : { search, passedOver: untold ? passedOver : null };
  }

  private visit(
    target: Target,
    bytes: Uint8Array | null,
    error: unknown,
    name: () => string,
    shown: boolean,
    explicit: boolean,
  ): boolean {
    if (this.options.output === 'files' && target.error === undefined) {
      this.found = true;
      this.totals.searched++;
      if (!this.options.quiet) this.printer.path(name());
      return !this.options.quiet;
    }
    if (bytes === null) this.complain(name(), error);
    else if (explicit || bytes.length <= this.options.maxFileSize) {
      try {
        this.search(bytes, name, shown, explicit);
      } catch (failure) {
        if (!(failure instanceof TooExpensiveError)) throw failure;
        this.failed = true;
        this.stderr += `rg: ${name()}: ${failure.message}\n`;
      }
    }
    return !(this.found && this.options.quiet && !this.options.stats);
  }

  private search(bytes: Uint8Array, name: () => string, shown: boolean, explicit: boolean): void {
    const { options, matcher, lines } = this;
    const { output } = options;
    const asked = explicit || options.binary;
    this.totals.searched++;
    this.totals.bytes += bytes.length;
    if (output === 'list-others' && !asked && !options.text && bytes.includes(0)) return;
    matcher.begin(bytes.length);
    const plain = !options.multiline && !lines.invert && !options.passthru;
    if (plain && matcher.find(bytes, 0, textEnd(bytes, 10)) === -1) {
      this.account(0, name, shown);
      return;
    }
    const nul = options.text ? -1 : bytes.indexOf(0);
    if (nul !== -1 && !asked) return;
    if (nul !== -1 && (output === 'lines' || output === 'json')) {
      this.binary(bytes, nul, name, shown);
      return;
    }
    const printing = !options.quiet && (output === 'lines' || output === 'json');
    if (printing && output === 'lines' && options.multiline && options.onlyMatching) {
      const { lines: selected, matches } = this.printer.spanning(shown ? name() : null, bytes);
      this.totals.matches += matches;
      this.account(selected, name, shown);
      return;
    }
    if (output === 'count-matches' && options.multiline && lines.maxCount === Infinity) {
      // A match may lie on two lines, and another begin on the second.
      const counted = this.countMatches(bytes, 0, bytes.length);
      this.totals.matches += counted;
      this.account(counted, name, shown);
      return;
    }
    let sink =
      printing && output === 'lines' ? this.printer.sink(shown ? name() : null, bytes) : null;
    if (printing && output === 'json') {
      this.report.begin(name());
      sink = this.printer.jsonSink(name(), bytes);
    }
    let counted = 0;
    const counting = output === 'count-matches' || output === 'json' || options.stats;
    const search = options.passthru ? searchAll : searchText;
    const selected = search(bytes, matcher, lines, options.multiline, (start, end, sel, leads) => {
      if (counting && sel && !lines.invert) counted += this.countMatches(bytes, start, end);
      return sink?.(start, end, sel, leads) ?? 'printed';
    });
    this.totals.matches += counted;
    if (printing && output === 'json') {
      this.report.end(name(), { lines: selected, matches: counted, bytes: bytes.length });
    }
    this.account(output === 'count-matches' ? counted : selected, name, shown);
  }

  private countMatches(bytes: Uint8Array, start: number, end: number): number {
    let count = 0;
    eachMatch(this.matcher, bytes, start, end, () => {
      count++;
      return true;
    });
    return count;
  }

  /** A file named on the command line that is binary: that it matches is all that is said. */
  private binary(bytes: Uint8Array, nul: number, name: () => string, shown: boolean): void {
    const { options, matcher } = this;
    const first = { ...this.lines, maxCount: 1, before: 0, after: 0 };
    const selected = searchText(bytes, matcher, first, options.multiline, () => 'printed');
    if (selected === 0) return;
    this.found = true;
    if (options.quiet) return;
    const head = shown ? `${name()}: ` : '';
    this.printer.out.add(
      Buffer.from(
        `${head}binary file matches (found "\\0" byte around offset ${nul})\n`,
        'utf8',
      ).toString('latin1'),
    );
  }

  private account(count: number, name: () => string, shown: boolean): void {
    const { output, quiet, includeZero } = this.options;
    const matched = count > 0;
    if (matched) {
      this.totals.matched++;
      this.totals.lines += count;
    }
    if (output === 'list-others' && !quiet) {
      if (matched) return;
      this.found = true;
      this.printer.path(name());
      return;
    }
    if (matched) this.found = true;
    if (quiet) return;
    if (output === 'list' && matched) this.printer.path(name());
    if ((output === 'count' || output === 'count-matches') && (matched || includeZero)) {
      this.printer.count(shown ? name() : null, count);
    }
  }
}

async function patternLines(
  fs: NamespaceFs,
  options: RgOptions,
  io: Surroundings,
): Promise<string[]> {
  const lines: string[] = [];
  for (const source of options.patterns) {
    if ('text' in source) {
      lines.push(source.text);
      continue;
    }
    const bytes =
      source.file === '-'
        ? Buffer.from(io.stdin, 'latin1')
        : await fs.readFileBuffer(fs.resolvePath(io.cwd, source.file)).catch((error: unknown) => {
            throw new UsageError(rgFileMessage(source.file, error));
          });
    const text = Buffer.from(bytes).toString('utf8');
    if (text !== '') lines.push(...text.replace(/\n$/, '').split('\n'));
  }
  return lines;
}

/** Runs ripgrep. Every failure is in the outcome; nothing is thrown but bugs. */
export async function runRg(
  fs: NamespaceFs,
  args: readonly string[],
  io: Surroundings,
): Promise<Outcome> {
  try {
    const options = parseRgOptions(args);
    if (options.info === 'help') return { stdout: RG_HELP, stderr: '', exitCode: 0 };
    if (options.info === 'version') {
      return { stdout: 'ripgrep 13.0.0 (dirigent)\n', stderr: '', exitCode: 0 };
    }
    if (options.output === 'types') {
      const list = Object.entries(typesOf(options.typeChanges)).map(
        ([name, globs]) => `${name}: ${globs.join(', ')}\n`,
      );
      return { stdout: list.join(''), stderr: '', exitCode: 0 };
    }
    const patterns = await patternLines(fs, options, io);
    return await new RgRun(fs, options, io, patterns).run();
  } catch (error) {
    if (error instanceof UsageError) return { stdout: '', stderr: error.message, exitCode: 2 };
    if (error instanceof PatternError) {
      return { stdout: '', stderr: `rg: ${error.message}\n`, exitCode: 2 };
    }
    throw error;
  }
}
