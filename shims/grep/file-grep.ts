/** Searches one file for GNU grep: selection, binary files, counts, lists. */
import { isUtf8 } from 'node:buffer';
import { TooExpensiveError } from '../support/literal/ast.ts';
import { type KernelFor, LineKernel, type LineQuery } from '../support/literal/line-kernel.ts';
import type { LineMatcher } from '../support/literal/matcher.ts';
import type { TextIndex } from '../support/literal/trigrams/text-index.ts';
import type { GrepOptions } from './options.ts';
import type { Printed, Printer } from './printer.ts';
import { countLines, type LineOptions, type LineSink, searchLines, textEnd } from './search.ts';
import type { Foreknowledge } from './walk.ts';

/** GNU reads a file in pieces of this size, and a NUL makes binary what it has not yet read. */
const PIECE = 98304;

/** A text of so many bytes is copied in less time than is spent on finding out whether it should be. */
const SMALL = 65_536;

/** What one file came to. */
export interface FileResult {
  selected: boolean;
  /** For stderr, without the tool's name. */
  complaint?: string;
  failed?: boolean;
}

/** What a search of files has besides its options. */
export interface Means {
  /** Is text bytes without an encoding? Then all of it can be printed. */
  bytes: boolean;
  /** Does what is plain in one go. */
  kernelFor?: KernelFor;
}

export class FileGrep {
  private readonly options: GrepOptions;
  private readonly matcher: LineMatcher;
  private readonly printer: Printer;
  private readonly lines: LineOptions;
  /** Only the first selected line matters. */
  private readonly first: boolean;
  private readonly silent: boolean;
  private readonly bytes: boolean;
  /** Had the file before a match? Then the next one is expected to have one, too. */
  private expected = false;
  /** Where all that is asked for is lines with one literal: the quick way. */
  private readonly quick: { kernelFor: KernelFor; query: LineQuery } | null;

  constructor(
    options: GrepOptions,
    matcher: LineMatcher,
    printer: Printer,
    { bytes, kernelFor }: Means,
  ) {
    this.options = options;
    this.bytes = bytes;
    this.matcher = matcher;
    this.printer = printer;
    this.first = options.quiet || options.list !== 'none';
    this.silent = this.first || options.count;
    const context = !this.silent;
    this.lines = {
      eol: options.nullData ? 0 : 10,
      invert: options.invert,
      maxCount: this.first ? Math.min(options.maxCount, 1) : options.maxCount,
      before: context ? options.before : 0,
      after: context ? options.after : 0,
    };
    const query = this.query();
    this.quick = query === null || kernelFor === undefined ? null : { kernelFor, query };
  }

  private query(): LineQuery | null {
    const { eol, invert, maxCount } = this.lines;
    const { count, lineNumber } = this.options;
    const [literal, ...others] = this.matcher.literal ? (this.matcher.required ?? []) : [];
    if (literal === undefined || others.length > 0 || !LineKernel.takes(literal, eol)) return null;
    if (invert || this.first || maxCount !== Number.POSITIVE_INFINITY) return null;
    return count || this.printer.plain
      ? { literal, eol, print: !count, numbered: lineNumber && !count }
      : null;
  }

  /** What is known of texts, where a file without a match is told of in no other way than an empty one. */
  foreknowledge(index: TextIndex | undefined): Foreknowledge | null {
    const { count, list } = this.options;
    const search = this.lines.invert ? null : (index?.search(this.matcher.required) ?? null);
    const untold = (this.first || !count) && list !== 'others';
    return search === null ? null : { search, passedOver: untold ? () => undefined : null };
  }

  /**
   * Searches a file and prints what is to be printed of it.
   * @param name its name for messages and lists; @param shown is it a prefix of lines?
   */
  search(bytes: Uint8Array, name: () => string, shown: boolean, piped: boolean): FileResult {
    try {
      const result = this.run(bytes, name, shown, piped);
      this.expected = result.selected;
      return result;
    } catch (error) {
      if (!(error instanceof TooExpensiveError)) throw error;
      return { selected: false, complaint: `${name()}: ${error.message}`, failed: true };
    }
  }

  private run(bytes: Uint8Array, name: () => string, shown: boolean, piped: boolean): FileResult {
    const { binary, nullData, count } = this.options;
    const hit = this.lines.invert || this.expects(bytes) ? 0 : this.hit(bytes);
    if (hit === -1) return this.unselected(name, shown);
    const nul = binary === 'text' || nullData ? -1 : bytes.indexOf(0);
    if (nul !== -1 && nul < PIECE && binary === 'without-match') {
      return this.unselected(name, shown);
    }
    const quickly = nul === -1 ? this.quickly(bytes, name, shown, hit) : null;
    if (quickly !== null) return { selected: quickly > 0 };
    const buf = nul === -1 ? bytes : zapped(bytes);
    if (this.silent) {
      let selected = countLines(buf, this.matcher, this.lines);
      // A NUL that is met late makes GNU forget what it counted.
      if (nul !== -1 && binary === 'without-match' && !this.first) selected = 0;
      if (count && !this.first) this.printer.count(shown ? name() : null, selected);
      this.list(selected > 0, name);
      return { selected: selected > 0 };
    }
    const from = nul === -1 ? Number.POSITIVE_INFINITY : Math.floor(nul / PIECE) * PIECE;
    return this.print(buf, name, shown, from, piped);
  }

  /** Is it as quick to search a text as to find out whether it has a match? */
  private expects({ length }: Uint8Array): boolean {
    return this.quick !== null && this.expected && length > 0 && length <= SMALL;
  }

  /** Where there is a match; -1, for most files of a big search, if there is none. */
  private hit(bytes: Uint8Array): number {
    if (bytes.length === 0) return -1;
    this.matcher.begin(bytes.length);
    const hit = this.matcher.find(bytes, 0, textEnd(bytes, this.lines.eol));
    // In a file with NULs lines may end there, where a match that spans one would count.
    return hit !== -1 || this.sure(bytes) ? hit : 0;
  }

  /** The number of lines, all told of in one go; null where that cannot be, or where it would not be quicker. */
  private quickly(
    bytes: Uint8Array,
    name: () => string,
    shown: boolean,
    hit: number,
  ): number | null {
    if (this.quick === null) return null;
    const { kernelFor, query } = this.quick;
    // The kernel copies all of the text, which a search for what is rare in it would not read.
    if (bytes.length > SMALL && !this.recurs(bytes, hit)) return null;
    const kernel = kernelFor(bytes.length);
    if (kernel === null) return null;
    if (!query.print) {
      const selected = this.printer.literally(kernel, query, null, bytes);
      if (selected !== null) this.printer.count(shown ? name() : null, selected);
      return selected;
    }
    if (this.options.binary !== 'text' && !this.bytes && !isUtf8(bytes)) return null;
    return this.printer.literally(kernel, query, shown ? name() : null, bytes);
  }

  private recurs(bytes: Uint8Array, hit: number): boolean {
    const next = this.matcher.find(bytes, hit + 1, textEnd(bytes, this.lines.eol));
    return next !== -1 && next - hit < SMALL;
  }

  private sure(bytes: Uint8Array): boolean {
    if (this.matcher.literal || this.options.binary === 'text' || this.options.nullData)
      return true;
    return bytes.indexOf(0) === -1;
  }

  /** A file, or what GNU takes for one, with no selected line: it may be counted or listed. */
  unselected(name: () => string, shown: boolean): FileResult {
    if (this.options.count && !this.first) this.printer.count(shown ? name() : null, 0);
    this.list(false, name);
    return { selected: false };
  }

  private list(selected: boolean, name: () => string): void {
    const { list, quiet } = this.options;
    if (list === 'none' || quiet) return;
    if (selected === (list === 'matching')) this.printer.name(name());
  }

  private print(
    buf: Uint8Array,
    name: () => string,
    shown: boolean,
    from: number,
    piped: boolean,
  ): FileResult {
    const { binary } = this.options;
    const printed: Printed = { binary: false };
    const text = { bytes: buf, checked: binary !== 'text' && !this.bytes, piped };
    const sink = this.printer.sink(shown ? name() : null, text, printed);
    const guarded: LineSink =
      from === Number.POSITIVE_INFINITY
        ? sink
        : (start, end, selected, leads) => {
            // The piece's last line goes with the next piece, unless it ends there.
            if (end < from) return sink(start, end, selected, leads);
            if (!selected) return 'withheld';
            printed.binary = true;
            this.printer.touch();
            return 'stop';
          };
    let selected = searchLines(buf, this.matcher, this.lines, guarded);
    // GNU has printed what it found, and then wants to know nothing of the file.
    if (printed.binary && binary === 'without-match' && from < buf.length) selected = 0;
    const report = printed.binary && binary === 'binary';
    return {
      selected: selected > 0,
      ...(report ? { complaint: `${name()}: binary file matches` } : {}),
    };
  }
}

/** NULs end lines in a binary file, so that what is said of its lines makes sense. */
function zapped(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(bytes);
  for (let at = copy.indexOf(0); at !== -1; at = copy.indexOf(0, at + 1)) copy[at] = 10;
  return copy;
}
