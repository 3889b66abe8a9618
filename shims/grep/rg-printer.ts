/** Prints what rg finds: lines with prefixes, or one JSON object a line. */
import type { Matcher } from '../support/literal/matcher.ts';
import { asBuffer, Output, toBytes } from './output.ts';
import { expand, type RgPattern } from './rg-pattern.ts';
import { eachMatch } from './rg-search.ts';
import type { RgOptions } from './rg-settings.ts';
import { LineCounter, type LineSink, lineEndAt, lineStartAt } from './search.ts';

const ESCAPE = '\u001b';
const STYLE = { path: '[35m', line: '[32m', column: '', match: '[1m\u001b[31m' } as const;

/** A piece of a line that is to stand out, and what stands in its place. */
interface Piece {
  start: number;
  end: number;
  text: string;
}

export class RgPrinter {
  readonly out = new Output();
  matches = 0;
  private readonly options: RgOptions;
  private readonly matcher: Matcher;
  private readonly pattern: RgPattern;
  private readonly replacement: string | null;
  private printedFiles = 0;

  constructor(options: RgOptions, matcher: Matcher, pattern: RgPattern) {
    this.options = options;
    this.matcher = matcher;
    this.pattern = pattern;
    this.replacement = options.replace === null ? null : toBytes(options.replace);
  }

  /** What was printed of files, in bytes: neither their paths alone nor numbers. */
  get printedBytes(): number {
    const { output } = this.options;
    return output === 'lines' || output === 'json' ? this.out.size : 0;
  }

  /** A path on a line of its own. */
  path(name: string): void {
    this.out.add(this.paint(toBytes(name), STYLE.path) + (this.options.nullName ? '\0' : '\n'));
  }

  /** A number for a path. */
  count(name: string | null, count: number): void {
    if (name !== null) {
      this.out.add(this.paint(toBytes(name), STYLE.path) + (this.options.nullName ? '\0' : ':'));
    }
    this.out.add(`${count}\n`);
  }

  private paint(text: string, style: string): string {
    if (!this.options.color) return text;
    return `${ESCAPE}[0m${style === '' ? '' : ESCAPE}${style}${text}${ESCAPE}[0m`;
  }

  /** A sink for the lines of one file; `name` is null where paths are not shown. */
  sink(name: string | null, bytes: Uint8Array): LineSink {
    const buf = asBuffer(bytes);
    const counter = new LineCounter(buf, 10);
    const { heading, before, after, separator } = this.options;
    const context = before > 0 || after > 0;
    const path = name === null ? null : this.paint(toBytes(name), STYLE.path);
    let last = -1;
    return (start, end, selected, leads) => {
      if (last === -1) this.openFile(path, context);
      else if (leads && context && start !== last && separator !== null) {
        this.out.add(`${toBytes(separator)}\n`);
      }
      last = end + 1;
      this.printLine(heading ? null : path, buf, counter, start, end, selected);
      return 'printed';
    };
  }

  private openFile(path: string | null, context: boolean): void {
    const { heading, separator, nullName } = this.options;
    if (this.printedFiles++ > 0) {
      if (heading && path !== null) this.out.add('\n');
      else if (context && separator !== null) this.out.add(`${toBytes(separator)}\n`);
    }
    if (heading && path !== null) this.out.add(path + (nullName ? '\0' : '\n'));
  }

  private printLine(
    path: string | null,
    buf: Buffer,
    counter: LineCounter,
    start: number,
    end: number,
    selected: boolean,
  ): void {
    const { invert, onlyMatching, vimgrep, column } = this.options;
    const detailed = selected && !invert;
    const wanted =
      onlyMatching || vimgrep || column || this.options.color || this.replacement !== null;
    const pieces = detailed && wanted ? this.pieces(buf, start, end) : [];
    const prefix = (at: number | null): string =>
      this.prefix(path, counter.number(start), start, at, selected);
    if (detailed && (onlyMatching || vimgrep)) {
      let shift = 0;
      for (const piece of pieces) {
        const at = piece.start - start + shift;
        if (this.replacement !== null) shift += piece.text.length - (piece.end - piece.start);
        this.out.add(prefix(at));
        this.out.add(
          onlyMatching
            ? (this.omitted(piece.text, '', 0, selected) ??
                this.paint(this.trimmed(piece.text), STYLE.match))
            : this.content(buf, start, end, pieces, selected),
        );
        this.out.add('\n');
      }
      return;
    }
    this.out.add(prefix(detailed && pieces[0] ? pieces[0].start - start : detailed ? 0 : null));
    this.out.add(`${this.content(buf, start, end, pieces, selected)}\n`);
  }

  private content(
    buf: Buffer,
    start: number,
    end: number,
    pieces: readonly Piece[],
    selected: boolean,
  ): string {
    const text = buf.toString('latin1', start, end);
    const limit = this.options.maxColumns;
    const beyond = pieces.filter((piece) => piece.start - start >= limit).length;
    const note = pieces.length === 0 ? '' : `${beyond} more ${beyond === 1 ? 'match' : 'matches'}`;
    const short = this.omitted(`${text}\n`, note, pieces.length, selected);
    return short ?? this.trimmed(this.painted(buf, start, end, pieces));
  }

  /** What stands for a text that is too long for --max-columns; null where it is not. */
  private omitted(text: string, note: string, matches: number, selected: boolean): string | null {
    const { maxColumns, maxColumnsPreview, onlyMatching } = this.options;
    if (text.length <= maxColumns) return null;
    if (maxColumnsPreview) {
      const characters = Array.from(Buffer.from(text, 'latin1').toString('utf8'));
      const begin = toBytes(characters.slice(0, maxColumns).join(''));
      return `${begin} [... ${note === '' ? (onlyMatching ? '0 more matches' : 'omitted end of long line') : note}]`;
    }
    if (matches > 0 && !onlyMatching) return `[Omitted long line with ${matches} matches]`;
    return `[Omitted long ${selected ? 'matching' : 'context'} line]`;
  }

  private trimmed(text: string): string {
    return this.options.trim ? text.replace(/^[ \t\r\v\f]+/, '') : text;
  }

  /** `at`: where in the line the match is, null for a line without one. */
  private prefix(
    path: string | null,
    line: number,
    offset: number,
    at: number | null,
    selected: boolean,
  ): string {
    const { lineNumber, column, byteOffset, nullName, onlyMatching, vimgrep } = this.options;
    const mark = selected ? ':' : '-';
    let text = '';
    if (path !== null) text += path + (nullName ? '\0' : mark);
    if (lineNumber ?? column) text += this.paint(`${line}`, STYLE.line) + mark;
    if (column && at !== null) text += this.paint(`${at + 1}`, STYLE.column) + mark;
    if (byteOffset) {
      text +=
        this.paint(`${offset + (onlyMatching || vimgrep ? (at ?? 0) : 0)}`, STYLE.column) + mark;
    }
    return text;
  }

  private pieces(buf: Buffer, start: number, end: number): Piece[] {
    const found: Piece[] = [];
    eachMatch(this.matcher, buf, start, end, (from, to) => {
      found.push({ start: from, end: to, text: this.replaced(buf, start, end, from, to) });
      return true;
    });
    return found;
  }

  private replaced(buf: Buffer, start: number, end: number, from: number, to: number): string {
    const text = buf.toString('latin1', from, to);
    if (this.replacement === null || !this.replacement.includes('$'))
      return this.replacement ?? text;
    const groups = this.matcher.groups(buf, start, end);
    const group = (index: number): string => {
      const [a, b] = [groups[index * 2] ?? -1, groups[index * 2 + 1] ?? -1];
      return a < 0 || b < a ? '' : buf.toString('latin1', a, b);
    };
    return expand(this.replacement, group, this.pattern.names);
  }

  private painted(buf: Buffer, start: number, end: number, pieces: readonly Piece[]): string {
    if (pieces.length === 0) return buf.toString('latin1', start, end);
    let text = '';
    let at = start;
    let bright = '';
    // Matches that touch are one bright stretch.
    for (const piece of pieces) {
      if (piece.start !== at || this.replacement !== null) {
        text += this.bright(bright) + buf.toString('latin1', at, piece.start);
        bright = '';
      }
      bright += piece.text;
      at = piece.end;
    }
    text += this.bright(bright);
    return text + buf.toString('latin1', at, end);
  }

  private bright(text: string): string {
    return text === '' ? '' : this.paint(text, STYLE.match);
  }

  /** A sink that prints JSON: `match` and `context` objects. */
  jsonSink(name: string, bytes: Uint8Array): LineSink {
    const buf = asBuffer(bytes);
    const counter = new LineCounter(buf, 10);
    return (start, end, selected) => {
      const submatches: unknown[] = [];
      if (selected && !this.options.invert) {
        eachMatch(this.matcher, buf, start, end, (from, to) => {
          this.matches++;
          submatches.push({ match: data(buf, from, to), start: from - start, end: to - start });
          return true;
        });
      }
      this.json(selected ? 'match' : 'context', {
        path: { text: name },
        lines: data(buf, start, Math.min(end + 1, buf.length)),
        line_number: counter.number(start),
        absolute_offset: start,
        submatches,
      });
      return 'printed';
    };
  }

  json(type: string, content: unknown): void {
    this.line({ type, data: content });
  }

  /** One JSON object on a line. */
  line(object: unknown): void {
    this.out.add(toBytes(`${JSON.stringify(object)}\n`));
  }

  /** The matches of a text, which may go over lines' ends, each line of each with its prefix. */
  spanning(name: string | null, bytes: Uint8Array): { lines: number; matches: number } {
    const buf = asBuffer(bytes);
    const counter = new LineCounter(buf, 10);
    const path = name === null ? null : this.paint(toBytes(name), STYLE.path);
    const { heading, maxCount } = this.options;
    let matches = 0;
    let last = -1;
    let lines = 0;
    eachMatch(this.matcher, buf, 0, buf.length, (from, to) => {
      const start = lineStartAt(buf, from, 0, 10);
      if (start > last) {
        if (lines >= maxCount) return false;
        lines++;
      }
      if (matches++ === 0) this.openFile(path, false);
      last = lineEndAt(buf, Math.max(from, to - 1), buf.length, 10);
      for (let at = from; at < to; ) {
        const end = lineEndAt(buf, at, to, 10);
        this.out.add(this.prefix(heading ? null : path, counter.number(at), at, null, true));
        this.out.add(`${this.paint(buf.toString('latin1', at, end), STYLE.match)}\n`);
        at = end + 1;
      }
      return true;
    });
    return { lines, matches };
  }
}

/** Text where the bytes are text, else the bytes in base64. */
function data(buf: Buffer, start: number, end: number): { text: string } | { bytes: string } {
  const piece = buf.subarray(start, end);
  const text = piece.toString('utf8');
  return Buffer.from(text, 'utf8').equals(piece) ? { text } : { bytes: piece.toString('base64') };
}
