/** Searches one file for GNU grep: selection, binary files, counts, lists. */
import { TooExpensiveError } from '../../src/search/literal/ast.ts';
import type { LineMatcher } from '../../src/search/literal/matcher.ts';
import type { TextIndex } from '../../src/search/literal/trigrams/text-index.ts';
import type { GrepOptions } from './options.ts';
import type { Printed, Printer } from './printer.ts';
import { countLines, type LineOptions, type LineSink, searchLines, textEnd } from './search.ts';
import type { Foreknowledge } from './walk.ts';

/** GNU reads a file in pieces of this size, and a NUL makes binary what it has not yet read. */
const PIECE = 98304;

/** What one file came to. */
export interface FileResult {
  selected: boolean;
  /** For stderr, without the tool's name. */
  complaint?: string;
  failed?: boolean;
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

  /** @param bytes is text bytes without an encoding? Then all of it can be printed. */
  constructor(options: GrepOptions, matcher: LineMatcher, printer: Printer, bytes: boolean) {
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
      return this.run(bytes, name, shown, piped);
    } catch (error) {
      if (!(error instanceof TooExpensiveError)) throw error;
      return { selected: false, complaint: `${name()}: ${error.message}`, failed: true };
    }
  }

  private run(bytes: Uint8Array, name: () => string, shown: boolean, piped: boolean): FileResult {
    const { binary, nullData, count } = this.options;
    if (!this.lines.invert && this.misses(bytes)) return this.unselected(name, shown);
    const nul = binary === 'text' || nullData ? -1 : bytes.indexOf(0);
    if (nul !== -1 && nul < PIECE && binary === 'without-match') {
      return this.unselected(name, shown);
    }
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

  /** Quick answer for most files of a big search: the matcher finds nothing in them. */
  private misses(bytes: Uint8Array): boolean {
    if (bytes.length === 0) return true;
    this.matcher.begin(bytes.length);
    // In a file with NULs lines may end there, where a match that spans one would count.
    return this.matcher.find(bytes, 0, textEnd(bytes, this.lines.eol)) === -1 && this.sure(bytes);
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
  const copy = Uint8Array.from(bytes);
  for (let at = copy.indexOf(0); at !== -1; at = copy.indexOf(0, at + 1)) copy[at] = 10;
  return copy;
}
